import { setTimeout as sleep } from 'node:timers/promises';
import type { KubernetesApi } from './api.ts';
import { ApiError, isMissing } from './api-error.ts';

const WATCH_S = 60;
const PAUSE_MS = 200;

/**
 * Follows one resource until `check` returns a value for it. `check` gets `undefined` once the resource does not exist, and may
 * throw. Rejects with the reason of the signal, or an `ApiError`.
 */
export async function followUntil<T>(
  api: KubernetesApi,
  collection: string,
  name: string,
  check: (resource: unknown) => T | undefined,
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    const resource = await api.call('GET', `${collection}/${name}`).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    const found = check(resource) ?? (await watchOnce(api, collection, resource, name, check, signal));
    if (found !== undefined) return found;
    await sleep(PAUSE_MS, undefined, { signal });
  }
}

/** Follows the resource until the server ends the watch, which it does after a while, and when it has lost the version (410). */
async function watchOnce<T>(
  api: KubernetesApi,
  collection: string,
  resource: unknown,
  name: string,
  check: (resource: unknown) => T | undefined,
  signal: AbortSignal,
): Promise<T | undefined> {
  const { resourceVersion } = Object(Object(resource).metadata);
  const query: Record<string, string> = { fieldSelector: `metadata.name=${name}`, timeoutSeconds: String(WATCH_S) };
  if (typeof resourceVersion === 'string') query.resourceVersion = resourceVersion;
  try {
    for await (const { type, object } of api.watch(collection, query, signal)) {
      if (type === 'ERROR') return undefined;
      if (type === 'BOOKMARK') continue;
      const found = check(type === 'DELETED' ? undefined : object);
      if (found !== undefined) return found;
    }
  } catch (error) {
    signal.throwIfAborted();
    // The next reading decides whether a lost connection is more than a moment.
    const isOver = error instanceof ApiError && (error.status === undefined || error.status === 410);
    if (!isOver) throw error;
  }
  return undefined;
}
