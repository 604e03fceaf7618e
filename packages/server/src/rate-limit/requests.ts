import type { ToolwrightError } from '@toolwright/core';
import { type RateLimitSettings, SCOPES, type Scope } from '@toolwright/core/internal';
import type { Principal } from '../principal.ts';
import { quotaError } from './quota-error.ts';
import { type SharedWindows, WINDOW_SECONDS, windowCounter } from './windows.ts';

/** The state of a policy after a request was counted. */
export interface PolicyState {
  readonly scope: Scope;
  /** Requests in each window. */
  readonly quota: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Seconds until the window ends, rounded up. */
  readonly resetSeconds: number;
}

/** Counts a request against all policies. `error` is set when one of them is exceeded. */
export type CountRequest = (
  principal: Principal,
) => Promise<{ readonly states: readonly PolicyState[]; readonly error?: ToolwrightError }>;

/** Counts requests by user and credential. Raises `STORE_UNAVAILABLE`: requests that cannot be counted are refused. */
export function requestCounter(settings: RateLimitSettings, shared: SharedWindows): CountRequest {
  const counters = SCOPES.filter((scope) => settings[scope].requestsPerMinute > 0).map((scope) => {
    const quota = settings[scope].requestsPerMinute;
    return { scope, quota, count: windowCounter(`requests:${scope}`, quota, shared) };
  });
  return async ({ user, credential }) => {
    const states: PolicyState[] = [];
    let error: ToolwrightError | undefined;
    for (const { scope, quota, count } of counters) {
      const { isOver, remaining, resetSeconds } = await count(scope === 'user' ? user : credential);
      states.push({ scope, quota, windowSeconds: WINDOW_SECONDS, remaining, resetSeconds });
      if (isOver) error ??= quotaError(scope, 'requestsPerMinute', quota, Math.max(1, resetSeconds));
    }
    return { states, error };
  };
}
