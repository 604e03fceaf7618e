import { type RateLimitSettings, SCOPES } from '@toolwright/core/internal';
import type { Store } from '@toolwright/pii';
import type { Principal } from '../principal.ts';
import { quotaError } from './quota-error.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** A day's sums stay until nobody can ask for them any more, whatever the clocks of the processes say. */
const KEPT_MS = 2 * DAY_MS;

/** The tokens that models used up, by user and credential, for each day of UTC. Both raise `STORE_UNAVAILABLE`. */
export interface TokenBudget {
  /** Raises `QUOTA_EXCEEDED` when today's tokens are used up. */
  check(principal: Principal): Promise<void>;
  /** Counts tokens that were used. May go over the quota: what is running is not cut. */
  charge(principal: Principal, tokens: number): Promise<void>;
}

/**
 * Counts in the store, so that neither a restart nor another process begins the day anew. `now` is milliseconds since
 * 1970.
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
