import * as z from 'zod';
import { setting } from './setting.ts';

function count(byDefault: number, description: string) {
  return setting(z.int().min(0, 'expected 0 (no limit) or more').default(byDefault), { description });
}

const userQuota = z.strictObject({
  /** HTTP requests in one minute; a minute begins with the first request after the last minute ended. */
  requestsPerMinute: count(600, 'HTTP requests of one user in one minute; 0 is no limit'),
  /** Tasks that run or wait at once, on one server process. */
  concurrentTasks: count(8, 'tasks of one user that run or wait at once, per process; 0 is no limit'),
  /** Executions that run or wait at once, on one server process. */
  concurrentExecutions: count(32, 'executions of one user that run or wait at once, per process; 0 is no limit'),
  /** Tokens of models, input and output together, in one day of UTC. */
  tokensPerDay: count(5_000_000, 'model tokens of one user in one UTC day, input and output; 0 is no limit'),
});

/** The limits of a credential itself; by default only those of its user count. */
const keyQuota = z.strictObject({
  requestsPerMinute: count(0, 'the same, for one API key or token subject'),
  concurrentTasks: count(0, 'the same, for one API key or token subject'),
  concurrentExecutions: count(0, 'the same, for one API key or token subject'),
  tokensPerDay: count(0, 'the same, for one API key or token subject'),
});

/** `rateLimits` of the configuration. */
export const rateLimitsSchema = z.strictObject({
  user: userQuota.prefault({}),
  key: keyQuota.prefault({}),
  address: z
    .strictObject({
      failedAuthenticationsPerMinute: count(30, 'invalid credentials from one address in one minute; 0 is no limit'),
    })
    .prefault({}),
});

export type RateLimitSettings = z.output<typeof rateLimitsSchema>;
/** What one user, or one credential of a user, may use. 0 is no limit. */
export type Quota = z.output<typeof userQuota>;
/** Whose quota it is. */
export type Scope = 'user' | 'key';

export const SCOPES: readonly Scope[] = ['user', 'key'];
export const DEFAULT_RATE_LIMITS: RateLimitSettings = rateLimitsSchema.parse({});
