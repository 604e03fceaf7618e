import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { redisStore } from './stores/redis.ts';
import { openClient } from './stores/redis-connection.ts';
import { sqliteStore } from './stores/sqlite.ts';
import type { Store } from './stores/store.ts';

/** What servers share and keep: keys, quotas. */
export interface SharedState extends AsyncDisposable {
  readonly store: Store;
  /** Set where the store is Redis. */
  readonly redis?: Redis;
}

/** Where shared state is kept, as configured. */
export interface StateSettings {
  readonly dataDir: string;
  readonly redisUrl?: string | undefined;
}

/** The database in the data folder that holds shared state where there is no Redis. */
const DATABASE = 'state.db';
const REDIS_TIMEOUT_MS = 5_000;

/**
 * Opens the shared state: Redis where `redisUrl` is set, else SQLite in the data folder, which all processes of this
 * machine may use at once. Raises `STORE_UNAVAILABLE` where `ioredis` is not installed; a server that does not answer
 * is told by the first use.
 */
export async function openState({ dataDir, redisUrl }: StateSettings): Promise<SharedState> {
  if (redisUrl === undefined) {
    const store = sqliteStore({ path: join(dataDir, DATABASE) });
    return { store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
  }
  const redis = await openClient(redisUrl, REDIS_TIMEOUT_MS);
  const store = redisStore({ url: redisUrl, timeoutMs: REDIS_TIMEOUT_MS });
  return {
    store,
    redis,
    async [Symbol.asyncDispose]() {
      redis.disconnect();
      await store[Symbol.asyncDispose]();
    },
  };
}
