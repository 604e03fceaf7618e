import type { Logger } from '../../telemetry/log.ts';
import { dataFolder } from '../data-folder/data-folder.ts';
import { journalKey } from '../data-folder/integrity.ts';
import type { Bus } from './bus.ts';
import { memoryBus } from './memory.ts';
import { redisBus } from './redis.ts';

/**
 * Opens the bus of a cluster on its Redis, or one for this process alone. Open it after the process has joined the cluster. Rejects with
 * `STORE_UNAVAILABLE` when `ioredis` is missing.
 */
export function openBus({ redis, cluster, dataDir, logger }: BusSettings): Promise<Bus> {
  if (redis === undefined) return Promise.resolve(memoryBus());
  const key = journalKey(dataFolder(dataDir).journalKey);
  return redisBus({ url: redis, key, logger, prefix: cluster === undefined ? undefined : `${cluster}:` });
}

export interface BusSettings {
  /** A `redis://` URL, or the path of a socket. */
  readonly redis?: string | undefined;
  /** The name of the cluster: processes of other clusters on the same Redis are not reached. Default: `toolwright`. */
  readonly cluster?: string | undefined;
  /** The data folder, with the key of the cluster, which seals the messages. */
  readonly dataDir: string;
  /** Receives refused messages. */
  readonly logger: Pick<Logger, 'warn'>;
}
