import { dataFolder } from '../data-folder/data-folder.ts';
import { journalKey } from '../data-folder/integrity.ts';
import type { Logger } from '../log.ts';
import { clusterUrl, parsePostgresUrl } from '../postgres/address.ts';
import type { Bus } from './bus.ts';
import { memoryBus } from './memory.ts';
import { postgresBus } from './postgres.ts';
import { redisBus } from './redis.ts';

/**
 * Opens the bus of a cluster: on its Redis, on its database without one, and for this process alone without both. Open it after the process
 * has joined the cluster. Rejects with `STORE_UNAVAILABLE` when `ioredis` is missing.
 */
export async function openBus({ redis, store, dataDir, logger }: BusSettings): Promise<Bus> {
  const url = clusterUrl(store);
  if (redis === undefined && url === undefined) return memoryBus();
  const key = journalKey(dataFolder(dataDir).journalKey);
  if (redis !== undefined) {
    const prefix = url === undefined ? undefined : `${parsePostgresUrl(url).cluster}:`;
    return redisBus({ url: redis, key, logger, prefix });
  }
  return postgresBus({ url: url as string, key, logger });
}

export interface BusSettings {
  /** A `redis://` URL, or the path of a socket. */
  readonly redis?: string | undefined;
  /** The store. The URL of a database has the name of the cluster: processes of other clusters on the same Redis are not reached. */
  readonly store?: unknown;
  /** The data folder, with the key of the cluster, which seals the messages. */
  readonly dataDir: string;
  /** Receives refused messages. */
  readonly logger: Logger;
}
