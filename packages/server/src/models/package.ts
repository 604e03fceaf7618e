import { createRequire } from 'node:module';
import { ToolwrightError } from '@toolwright/core';

/** The package that all providers need too; it is as large as all of them together, and only models use it. */
const SDK = 'ai';

const require = createRequire(import.meta.url);

/**
 * Loads a provider's package. Users install it, and the AI SDK, themselves: raises `CONFIG_INVALID` with the command where
 * one of the two is missing.
 */
export async function loadPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  const problem = (cause: unknown) => {
    if (!/^(ERR_)?MODULE_NOT_FOUND$/.test((cause as NodeJS.ErrnoException).code ?? '')) throw cause;
    const message = `The model needs the packages ${SDK} and ${name}. Run: npm install ${SDK} ${name}`;
    throw new ToolwrightError('CONFIG_INVALID', message, { cause });
  };
  try {
    // Not imported yet: that takes a fifth of a second, and the first request does it.
    require.resolve(SDK);
    return await load();
  } catch (cause) {
    return problem(cause);
  }
}

/** A base URL with its version: `http://127.0.0.1:11434` is `http://127.0.0.1:11434/v1`. */
export function versioned(url: string): string {
  const trimmed = url.replace(/\/+$/, '');
  return /\/v\d\w*$/.test(trimmed) ? trimmed : `${trimmed}/v1`;
}
