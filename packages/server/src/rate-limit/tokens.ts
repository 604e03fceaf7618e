import { type RateLimitSettings, SCOPES } from '@toolwright/core/internal';
import type { Store } from '@toolwright/pii';
import type { Principal } from '../principal.ts';
import { quotaError } from './quota-error.ts';

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
