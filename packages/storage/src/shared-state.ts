import type { Redis } from 'ioredis';
import { openStore } from './open.ts';
import { clusterUrl, DEFAULT_CLUSTER, parsePostgresUrl } from './postgres/address.ts';
import { openPostgres, type Postgres } from './postgres/connection.ts';
import { checkRedis } from './redis/redis-check.ts';
import { openClient, REDIS_TIMEOUT_MS } from './redis/redis-connection.ts';
import type { Store } from './store.ts';

/** The state that the processes of a server share, such as API keys and quotas. */
export interface SharedState extends AsyncDisposable {
  readonly store: Store;
  /** Set where the store is Redis, or the cluster has one: for libraries that need a client of their own. */
  readonly redis?: Redis;
  /** Set where the store is PostgreSQL, and the cluster has no Redis: counts requests in tables that may be lost. */
  readonly database?: Postgres;
  /** The name of the cluster, which starts all names in Redis. Default: `toolwright`. */
  readonly cluster: string;
  /**
   * Checks the Redis. Returns the problems that an operator should know. Raises `CONFIG_INVALID` if another cluster of the same name uses
   * it, and `STORE_UNAVAILABLE` while the database does not answer.
   */
  checkRedis(): Promise<readonly string[]>;
}

export interface StateSettings {
  readonly store: string;
  readonly dataDir: string;
  /** The Redis of a cluster, whose `store` is PostgreSQL. */
  readonly redis?: string | undefined;
}

/**
 * Opens the shared state that a configuration names, like {@link openStore}. Raises `STORE_UNAVAILABLE` where `ioredis` is
 * needed and not installed. The first use of a server that does not answer raises `STORE_UNAVAILABLE`.
 */
export async function openState(config: StateSettings): Promise<SharedState> {
  const store = openStore(config.store, config.dataDir);
  const url = clusterUrl(config.store);
  const cluster = url === undefined ? DEFAULT_CLUSTER : parsePostgresUrl(url).cluster;
  const address = store.name === 'redis' ? config.store : url === undefined ? undefined : config.redis;
  if (address === undefined) {
    const database = url === undefined ? undefined : openPostgres({ url });
    return {
      store,
      database,
      cluster,
      checkRedis: async () => [],
      async [Symbol.asyncDispose]() {
        await database?.[Symbol.asyncDispose]();
        await store[Symbol.asyncDispose]();
      },
    };
  }
  const redis = await openClient(address, REDIS_TIMEOUT_MS);
  return {
    store,
    redis,
    cluster,
    checkRedis: async () => checkRedis(redis, { cluster, id: url === undefined ? undefined : await idOf(url) }),
    async [Symbol.asyncDispose]() {
      redis.disconnect();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** Returns the id of the cluster of a database. */
async function idOf(url: string): Promise<string> {
  await using database = openPostgres({ url });
  const [row] = await database.read('select id from toolwright.installation');
  return String(row?.id);
}
