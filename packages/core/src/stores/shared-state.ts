import type { Redis } from 'ioredis';
import { openStore } from './open.ts';
import { openClient, REDIS_TIMEOUT_MS } from './redis-connection.ts';
import type { Store } from './store.ts';

/** The state that the processes of a server share, such as API keys and quotas. */
export interface SharedState extends AsyncDisposable {
  readonly store: Store;
  /** Set where the store is Redis: for libraries that need a client of their own. */
  readonly redis?: Redis;
}

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
