import { isIPv6 } from 'node:net';
import { DEFAULT_RATE_LIMITS, type RateLimitSettings, SCOPES } from '@toolwright/core/internal';
import type { Store } from '@toolwright/pii';
import type { MiddlewareHandler } from 'hono';
import { expandIPv6 } from 'hono/utils/ipaddr';
import { HttpProblem } from './http/requests/problem.ts';
import { LOCAL_PRINCIPAL, type Principal, type PrincipalEnv } from './principal.ts';
import { quotaError } from './rate-limit/quota-error.ts';
import { type PolicyState, requestCounter } from './rate-limit/requests.ts';
import { type SharedWindows, windowCounter } from './rate-limit/windows.ts';
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

/**
 * Returns the headers of draft-ietf-httpapi-ratelimit-headers-10, with one policy for each scope (`"user"`, `"key"`).
 * `RateLimit-Policy` has the quota `q` and the window `w` in seconds. `RateLimit` has the remaining requests `r` and the
 * seconds `t` until the window ends.
 */
export function rateLimitHeaders(states: readonly PolicyState[]): Record<string, string> {
  if (states.length === 0) return {};
  const policy = states.map(({ scope, quota, windowSeconds }) => `"${scope}";q=${quota};w=${windowSeconds}`);
  const limit = states.map(({ scope, remaining, resetSeconds }) => `"${scope}";r=${remaining};t=${resetSeconds}`);
  return { 'RateLimit-Policy': policy.join(', '), RateLimit: limit.join(', ') };
}

/** An IPv4 address in the form of a dual-stack socket. */
const MAPPED = /^::ffff:(\d+(?:\.\d+){3})$/i;
/** Groups of an IPv6 address that identify a subscriber, who may choose the last 64 bits freely. */
const SUBSCRIBER_GROUPS = 4;

/** Counts requests of client addresses by one of their quotas. Raises `QUOTA_EXCEEDED` over the quota, and `STORE_UNAVAILABLE`. */
export function addressCounter(
  name: keyof RateLimitSettings['address'],
  { address: { [name]: quota } }: RateLimitSettings,
  shared: SharedWindows = {},
): (address: string | undefined) => Promise<void> {
  if (!quota) return async () => undefined;
  const count = windowCounter(name, quota, shared);
  return async (address) => {
    const { isOver, resetSeconds } = await count(networkOf(address ?? ''));
    if (isOver) throw quotaError('address', name, quota, Math.max(1, resetSeconds));
  };
}

/** Returns the network that is counted as one address. */
function networkOf(address: string): string {
  const [, mapped] = MAPPED.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  const [plain = ''] = address.split('%');
  return isIPv6(plain) ? expandIPv6(plain).split(':').slice(0, SUBSCRIBER_GROUPS).join(':') : plain;
}

export type ConcurrentWork = 'concurrentTasks' | 'concurrentExecutions';

/** Seconds after which a client may retry: its own work must end first. */
const RETRY_AFTER_SECONDS = 1;

/**
 * Counts concurrent work in this process, because users share the sandboxes of this process. `enter` raises
 * `QUOTA_EXCEEDED`, or returns a function to call when the work has ended.
 */
export function workCounter(settings: RateLimitSettings): {
  enter(work: ConcurrentWork, principal: Principal): () => void;
} {
  const running = new Map<string, number>();

  const leave = (key: string) => {
    const left = (running.get(key) ?? 0) - 1;
    if (left > 0) running.set(key, left);
    else running.delete(key);
  };

  return {
    enter(work, { user, credential }) {
      const places = SCOPES.map((scope) => ({
        scope,
        limit: settings[scope][work],
        key: JSON.stringify([work, scope, scope === 'user' ? user : credential]),
      }));
      for (const { scope, limit, key } of places) {
        if (limit > 0 && (running.get(key) ?? 0) >= limit) throw quotaError(scope, work, limit, RETRY_AFTER_SECONDS);
      }
      for (const { key } of places) running.set(key, (running.get(key) ?? 0) + 1);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        for (const { key } of places) leave(key);
      };
    },
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Sums outlive their day, because the clocks of processes differ. */
const KEPT_MS = 2 * DAY_MS;

/** The used tokens of each UTC day, by user and credential. Both methods raise `STORE_UNAVAILABLE`. */
export interface TokenBudget {
  /** Raises `QUOTA_EXCEEDED` when the tokens of today are used. */
  check(principal: Principal): Promise<void>;
  /** Counts used tokens. The sum may exceed the quota: running work is not stopped. */
  charge(principal: Principal, tokens: number): Promise<void>;
}

/**
 * Counts in the store, so that restarts and other processes share the sums. `now` returns milliseconds since 1970.
 */
export function tokenBudget(settings: RateLimitSettings, store: Store, now: () => number = Date.now): TokenBudget {
  const namespace = () => `tokens:${new Date(now()).toISOString().slice(0, 10)}`;
  const keysOf = ({ user, credential }: Principal) => [`user:${user}`, `key:${credential}`];
  return {
    async check(principal) {
      if (SCOPES.every((scope) => settings[scope].tokensPerDay === 0)) return;
      const sums = await store.get(namespace(), keysOf(principal));
      for (const [index, scope] of SCOPES.entries()) {
        const limit = settings[scope].tokensPerDay;
        const used = Number(sums[index]?.toString() ?? 0);
        if (limit > 0 && used >= limit) throw quotaError(scope, 'tokensPerDay', limit, secondsOfDayLeft(now()));
      }
    },
    async charge(principal, tokens) {
      const amount = Math.max(0, Math.ceil(tokens));
      const amounts = Object.fromEntries(keysOf(principal).map((key) => [key, amount]));
      if (amount > 0) await store.increment(namespace(), amounts, { maxMs: KEPT_MS });
    },
  };
}

function secondsOfDayLeft(now: number): number {
  return Math.ceil((DAY_MS - (now % DAY_MS)) / 1000);
}
