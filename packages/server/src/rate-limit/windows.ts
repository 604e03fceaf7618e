import { createHash } from 'node:crypto';
import { ToolwrightError } from '@toolwright/core';
import { messageOf } from '@toolwright/sandbox/internal';
import { type Postgres, prepared } from '@toolwright/storage/internal';
import type { Redis } from 'ioredis';
import { type IRateLimiterOptions, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

export const WINDOW_SECONDS = 60;

/** The state of a window after a request was counted. */
export interface Counted {
  /** Whether the count exceeds the quota. */
  readonly isOver: boolean;
  readonly remaining: number;
  /** Seconds until the window ends, rounded up. */
  readonly resetSeconds: number;
}

/** Where processes count together. Without both, each process counts its own. */
export interface SharedWindows {
  readonly redis?: Redis | undefined;
  /** Counts in a table where there is no Redis. */
  readonly database?: Postgres | undefined;
  /** The start of the names in Redis: the name of the cluster. Default: `toolwright`. */
  readonly prefix?: string | undefined;
  /** Returns the name there of a user, a credential or an address. Default: the text itself. */
  readonly nameOf?: ((text: string) => string) | undefined;
}

// A window begins with its first request, and ends by the clock of the database. The table is not logged: no commit waits for the disk.
const COUNT = prepared(`insert into toolwright.rate_windows as w (name, points, ends_at)
  values ($1, 1, clock_timestamp() + ${WINDOW_SECONDS} * interval '1 second')
  on conflict (name) do update set
    points = case when w.ends_at <= clock_timestamp() then 1 else w.points + 1 end,
    ends_at = case when w.ends_at <= clock_timestamp() then excluded.ends_at else w.ends_at end
  returning points::float8, extract(epoch from ends_at - clock_timestamp())::float8 as seconds`);
const PURGE = prepared(`delete from toolwright.rate_windows where name in (
    select name from toolwright.rate_windows where ends_at <= clock_timestamp() limit 10000 for update skip locked
  )`);

/**
 * Counts in fixed windows of a minute, for each key: in the memory of this process, or in Redis or PostgreSQL for all processes. Raises
 * `STORE_UNAVAILABLE` while they do not answer.
 */
export function windowCounter(
  name: string,
  points: number,
  { redis, database, prefix = 'toolwright', nameOf = (text) => text }: SharedWindows,
): (key: string) => Promise<Counted> {
  const keyPrefix = `${prefix}:${name}`;
  const count =
    redis === undefined && database !== undefined
      ? databaseCounter(keyPrefix, database)
      : libraryCounter({ points, duration: WINDOW_SECONDS, keyPrefix }, redis);
  return async (key) => {
    const { used, leftSeconds } = await count(nameOf(key));
    return {
      isOver: used > points,
      remaining: Math.max(0, points - used),
      resetSeconds: Math.ceil(leftSeconds),
    };
  };
}

/** Counts a request. */
type Count = (key: string) => Promise<{ readonly used: number; readonly leftSeconds: number }>;

function libraryCounter(options: IRateLimiterOptions, redis: Redis | undefined): Count {
  const limiter =
    redis === undefined ? new RateLimiterMemory(options) : new RateLimiterRedis({ ...options, storeClient: redis });
  return async (key) => {
    const { consumedPoints, msBeforeNext } = await limiter.consume(key).catch((rejected: unknown) => {
      if (rejected instanceof RateLimiterRes) return rejected;
      const message = `Redis does not answer, so requests cannot be counted (${messageOf(rejected)}). Check the connection to Redis.`;
      throw new ToolwrightError('STORE_UNAVAILABLE', message, { cause: rejected });
    });
    return { used: consumedPoints, leftSeconds: msBeforeNext / 1000 };
  };
}

function databaseCounter(keyPrefix: string, { write }: Postgres): Count {
  let purgedAt = performance.now();
  return async (key) => {
    if (performance.now() - purgedAt > WINDOW_SECONDS * 1_000) {
      purgedAt = performance.now();
      void write(PURGE).catch(() => undefined);
    }
    // Keys of any length and content have names of one length.
    const name = createHash('sha256')
      .update(JSON.stringify([keyPrefix, key]))
      .digest();
    const [row = {}] = await write(COUNT, [name]);
    return { used: Number(row.points), leftSeconds: Math.max(0, Number(row.seconds)) };
  };
}
