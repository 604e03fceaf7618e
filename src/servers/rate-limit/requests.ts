import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { messageOf, ToolwrightError } from '../../errors.ts';
import type { Principal } from '../principal.ts';
import { quotaError } from './quota-error.ts';
import { type RateLimitSettings, SCOPES, type Scope } from './settings.ts';

/** How a policy stands after a request was counted. */
export interface Standing {
  readonly scope: Scope;
  /** Requests in each window. */
  readonly quota: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Seconds until the window ends, rounded up. */
  readonly resetSeconds: number;
}

/** Counts a request against all policies. `error` is set when one of them is used up. */
export type CountRequest = (
  principal: Principal,
) => Promise<{ readonly standings: readonly Standing[]; readonly error?: ToolwrightError }>;

const WINDOW_SECONDS = 60;
const KEY_PREFIX = 'toolwright:requests';

/**
 * Counts requests in fixed windows of a minute: in the memory of this process, or in Redis for all processes. Raises
 * `STORE_UNAVAILABLE` while Redis does not answer: what cannot be counted is not let through.
 */
export function requestCounter(settings: RateLimitSettings, redis?: Redis): CountRequest {
  const limiters = SCOPES.filter((scope) => settings[scope].requestsPerMinute > 0).map((scope) => {
    const points = settings[scope].requestsPerMinute;
    const options = { points, duration: WINDOW_SECONDS, keyPrefix: `${KEY_PREFIX}:${scope}` };
    const limiter =
      redis === undefined ? new RateLimiterMemory(options) : new RateLimiterRedis({ ...options, storeClient: redis });
    return { scope, points, limiter };
  });
  return async ({ user, credential }) => {
    const standings: Standing[] = [];
    let error: ToolwrightError | undefined;
    for (const { scope, points, limiter } of limiters) {
      const result = await limiter.consume(scope === 'user' ? user : credential).catch((rejected: unknown) => {
        if (rejected instanceof RateLimiterRes) return rejected;
        const message = `Requests cannot be counted: Redis does not answer (${messageOf(rejected)}).`;
        throw new ToolwrightError('STORE_UNAVAILABLE', message, { cause: rejected });
      });
      const resetSeconds = Math.ceil(result.msBeforeNext / 1000);
      const remaining = Math.max(0, points - result.consumedPoints);
      standings.push({ scope, quota: points, windowSeconds: WINDOW_SECONDS, remaining, resetSeconds });
      if (result.consumedPoints > points)
        error ??= quotaError(scope, 'requestsPerMinute', points, Math.max(1, resetSeconds));
    }
    return { standings, ...(error === undefined ? {} : { error }) };
  };
}
