import { DEFAULT_RATE_LIMITS, type RateLimitSettings } from '@toolwright/core/internal';
import type { Store } from '@toolwright/pii';
import type { MiddlewareHandler } from 'hono';
import { HttpProblem } from './http/requests/problem.ts';
import { LOCAL_PRINCIPAL, type Principal, type PrincipalEnv } from './principal.ts';
import { addressCounter } from './rate-limit/addresses.ts';
import { type ConcurrentWork, workCounter } from './rate-limit/concurrency.ts';
import { rateLimitHeaders } from './rate-limit/headers.ts';
import { requestCounter } from './rate-limit/requests.ts';
import { tokenBudget } from './rate-limit/tokens.ts';
import type { SharedWindows } from './rate-limit/windows.ts';
import { refusalOf, refuse } from './refusal.ts';

export interface RateLimiterOptions extends SharedWindows {
  readonly settings?: RateLimitSettings;
  /** Keeps the tokens of each day. */
  readonly store: Store;
}

/** The quotas of users and keys. The local user of a server without keys has no quota. */
export interface RateLimiter {
  /**
   * Counts each request, after authentication. Sets `RateLimit-Policy` and `RateLimit`; answers 429 with `Retry-After`
   * when the quota is exceeded, and 503 when the store does not answer.
   */
  readonly requests: MiddlewareHandler<PrincipalEnv>;
  /**
   * Counts work that starts. Call the returned function when the work has ended. Raises `QUOTA_EXCEEDED`: `refusalOf`
   * returns its response.
   */
  enter(work: ConcurrentWork, principal: Principal): () => void;
  /** Checks the tokens of today before a task. Raises `QUOTA_EXCEEDED`, `STORE_UNAVAILABLE`. */
  checkTokens(principal: Principal): Promise<void>;
  /** Counts the tokens of a model's answer or of a task. Raises `STORE_UNAVAILABLE`. */
  chargeTokens(principal: Principal, tokens: number): Promise<void>;
  /**
   * Counts a failed authentication of a client address. Raises `QUOTA_EXCEEDED` over the quota, `STORE_UNAVAILABLE`.
   */
  readonly failedAuthentication: (address: string | undefined) => Promise<void>;
  /** Counts a request without a credential of a client address. Raises `QUOTA_EXCEEDED` over the quota. */
  readonly unauthenticated: (address: string | undefined) => Promise<void>;
}

/** Creates the rate limiter of a server. */
export function rateLimiter({ settings = DEFAULT_RATE_LIMITS, store, ...shared }: RateLimiterOptions): RateLimiter {
  const count = requestCounter(settings, shared);
  const work = workCounter(settings);
  const tokens = tokenBudget(settings, store);
  const failedAuthentication = addressCounter('failedAuthenticationsPerMinute', settings, shared);
  // Each process counts its own: a flood must not reach Redis.
  const unauthenticated = addressCounter('unauthenticatedRequestsPerMinute', settings);
  return {
    async requests(context, next) {
      const principal = context.get('principal');
      if (isLocal(principal)) return next();
      let headers: Readonly<Record<string, string>> = {};
      try {
        const { states, error } = await count(principal);
        headers = rateLimitHeaders(states);
        if (error) throw error;
      } catch (error) {
        const problem = refusalOf(error);
        if (problem === undefined) throw error;
        const { status, code, message, options } = problem;
        const problemOptions = { ...options, headers: { ...options.headers, ...headers } };
        return refuse(context, new HttpProblem(status, code, message, problemOptions));
      }
      for (const [name, value] of Object.entries(headers)) context.header(name, value);
      return next();
    },
    enter: (kind, principal) => (isLocal(principal) ? () => undefined : work.enter(kind, principal)),
    async checkTokens(principal) {
      if (!isLocal(principal)) await tokens.check(principal);
    },
    async chargeTokens(principal, used) {
      if (!isLocal(principal)) await tokens.charge(principal, used);
    },
    failedAuthentication,
    unauthenticated,
  };
}

/** A limiter without limits. */
export const UNLIMITED: RateLimiter = {
  requests: (_context, next) => next(),
  enter: () => () => undefined,
  checkTokens: async () => undefined,
  chargeTokens: async () => undefined,
  failedAuthentication: async () => undefined,
  unauthenticated: async () => undefined,
};

function isLocal({ credential }: Principal): boolean {
  return credential === LOCAL_PRINCIPAL.credential;
}
