import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { ToolwrightError } from '../errors.ts';
import { redisStore } from './redis.ts';
import { openClient } from './redis-connection.ts';
import { sqliteStore } from './sqlite.ts';
import type { Store } from './store.ts';
import { memoryStore } from './store.ts';

/**
 * Opens the store that a configuration names, or returns a store object unchanged. Raises `CONFIG_INVALID` for any other
 * name.
 * - `sqlite`: a file in the data folder, for one machine.
 * - `memory`: ends with the process.
 * - A `redis://` or `rediss://` URL, or the path of a Redis socket: for many machines.
 */
export function openStore(name: string | Store, dataDir: string): Store {
  if (typeof name !== 'string') return name;
  if (name === 'sqlite') return sqliteStore({ path: join(dataDir, 'store.db') });
  if (name === 'memory') return memoryStore();
  if (/^(rediss?:\/)?\//.test(name)) return redisStore({ url: name });
  const message = `Unknown store "${name.slice(0, 40)}". Use sqlite, memory, or the URL of a Redis server: redis://host:6379.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}

/** The state that the processes of a server share, such as API keys and quotas. */
export interface SharedState extends AsyncDisposable {
  readonly store: Store;
  /** Set where the store is Redis: for libraries that need a client of their own. */
  readonly redis?: Redis;
}

const REDIS_TIMEOUT_MS = 5_000;

/**
 * Opens the shared state that a configuration names, like {@link openStore}. Raises `STORE_UNAVAILABLE` where `ioredis` is
 * needed and not installed. The first use of a server that does not answer raises `STORE_UNAVAILABLE`.
 */
export async function openState(config: { readonly store: string; readonly dataDir: string }): Promise<SharedState> {
  const store = openStore(config.store, config.dataDir);
  if (store.name !== 'redis') return { store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
  const redis = await openClient(config.store, REDIS_TIMEOUT_MS);
  return {
    store,
    redis,
    async [Symbol.asyncDispose]() {
      redis.disconnect();
      await store[Symbol.asyncDispose]();
    },
  };
}
