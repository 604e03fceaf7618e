import { ToolwrightError } from '@toolwright/core';

/** Loads a provider's package, which users install themselves. Raises `CONFIG_INVALID`, which says how. */
export async function loadPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const message = `The model needs the package ${name}, which is not installed. Run: npm install ${name}`;
    throw new ToolwrightError('CONFIG_INVALID', message, { cause });
  }
}

/** A base URL with its version: `http://127.0.0.1:11434` is `http://127.0.0.1:11434/v1`. */
export function versioned(url: string): string {
  const trimmed = url.replace(/\/+$/, '');
  return /\/v\d\w*$/.test(trimmed) ? trimmed : `${trimmed}/v1`;
}
