import { ToolwrightError } from '@toolwright/core';
import { messageOf } from '@toolwright/sandbox/internal';
import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

export const WINDOW_SECONDS = 60;

/** The state of a window after a request was counted. */
export interface Counted {
  /** Whether the count exceeds the quota. */
  readonly isOver: boolean;
  readonly remaining: number;
  /** Seconds until the window ends, rounded up. */
  readonly resetSeconds: number;
}

/** Where processes count together. */
export interface SharedWindows {
  /** Counts for all processes. Without it each process counts its own. */
  readonly redis?: Redis | undefined;
  /** The start of the names in Redis: the name of the cluster. Default: `toolwright`. */
  readonly prefix?: string | undefined;
  /** Returns the name in Redis of a user, a credential or an address. Default: the text itself. */
  readonly nameOf?: ((text: string) => string) | undefined;
}

/**
 * Counts in fixed windows of a minute, for each key: in the memory of this process, or in Redis for all processes. Raises
 * `STORE_UNAVAILABLE` while Redis does not answer.
 */
export function windowCounter(
  name: string,
  points: number,
  { redis, prefix = 'toolwright', nameOf = (text) => text }: SharedWindows,
): (key: string) => Promise<Counted> {
  const options = { points, duration: WINDOW_SECONDS, keyPrefix: `${prefix}:${name}` };
  const limiter =
    redis === undefined ? new RateLimiterMemory(options) : new RateLimiterRedis({ ...options, storeClient: redis });
  return async (key) => {
    const { consumedPoints, msBeforeNext } = await limiter.consume(nameOf(key)).catch((rejected: unknown) => {
      if (rejected instanceof RateLimiterRes) return rejected;
      const message = `Redis does not answer, so requests cannot be counted (${messageOf(rejected)}). Check the connection to Redis.`;
      throw new ToolwrightError('STORE_UNAVAILABLE', message, { cause: rejected });
    });
    return {
      isOver: consumedPoints > points,
      remaining: Math.max(0, points - consumedPoints),
      resetSeconds: Math.ceil(msBeforeNext / 1000),
    };
  };
}
