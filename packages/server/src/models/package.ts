import { createRequire } from 'node:module';
import { outgoingFetch } from '@toolwright/connectors/internal';
import { ToolwrightError } from '@toolwright/core';

/** The package that all providers need. It is optional because it is large and only models use it. */
const SDK = 'ai';

const require = createRequire(import.meta.url);

/**
 * Loads the package of a provider. Raises `CONFIG_INVALID` with the install command when this package or the AI SDK is
 * missing.
 */
export async function loadPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  const problem = (cause: unknown) => {
    if (!/^(ERR_)?MODULE_NOT_FOUND$/.test((cause as NodeJS.ErrnoException).code ?? '')) throw cause;
    const message = `The model needs the packages ${SDK} and ${name}. Run: npm install ${SDK} ${name}`;
    throw new ToolwrightError('CONFIG_INVALID', message, { cause });
  };
  try {
    // The first request imports the SDK, because the import takes 0.2 seconds.
    require.resolve(SDK);
    return await load();
  } catch (cause) {
    return problem(cause);
  }
}

/** Returns a base URL with its version: `http://127.0.0.1:11434` becomes `http://127.0.0.1:11434/v1`. */
export function versioned(url: string): string {
  const trimmed = url.replace(/\/+$/, '');
  return /\/v\d\w*$/.test(trimmed) ? trimmed : `${trimmed}/v1`;
}

/**
 * Sends a request of a model and follows no redirect: another address would receive the key. Rejects with `MODEL_FAILED` and the
 * address.
 */
export const fetchDirectly: typeof fetch = async (input, init) => {
  const response = await outgoingFetch(input, { ...init, redirect: 'manual' });
  const location = response.headers.get('location');
  if (response.status < 300 || response.status > 399 || location === null) return response;
  await response.body?.cancel();
  const { url } = new Request(input);
  const target = URL.canParse(location, url) ? new URL(location, url).origin : 'an address that is no URL';
  const message = `${new URL(url).origin} redirects the request of the model to ${target} (HTTP ${response.status}). Toolwright did not follow, because the key is for one server only. Set the base URL to the right address.`;
  throw new ToolwrightError('MODEL_FAILED', message);
};
