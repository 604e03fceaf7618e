import type { Bus } from './bus.ts';
import { memoryBus } from './memory.ts';
import { redisBus } from './redis.ts';

/** Opens the bus of a cluster on its Redis, or one for this process alone. Rejects with `STORE_UNAVAILABLE` when `ioredis` is missing. */
export function openBus({ redis, cluster }: BusSettings): Promise<Bus> {
  if (redis === undefined) return Promise.resolve(memoryBus());
  return redisBus({ url: redis, ...(cluster === undefined ? {} : { prefix: `${cluster}:` }) });
}

export interface BusSettings {
  /** A `redis://` URL, or the path of a socket. */
  readonly redis?: string | undefined;
  /** The name of the cluster: processes of other clusters on the same Redis are not reached. Default: `toolwright`. */
  readonly cluster?: string | undefined;
}
