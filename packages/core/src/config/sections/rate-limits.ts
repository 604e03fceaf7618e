import * as z from 'zod';
import { type SettingMeta, setting } from '../setting.ts';

const GIB = 1024 ** 3;

function count(byDefault: number, description: string, more: Partial<SettingMeta> = {}) {
  return setting(z.int().min(0, 'expected 0 (no limit) or more').default(byDefault), { description, ...more });
}

const userQuota = z.strictObject({
  /** HTTP requests per minute. A minute starts with the first request after the previous minute ended. */
  requestsPerMinute: count(600, 'HTTP requests of one user in one minute'),
  /** Running and waiting tasks, on one server process. */
  concurrentTasks: count(8, 'tasks of one user that run or wait, per process'),
  /** Running and waiting executions, on one server process. */
  concurrentExecutions: count(32, 'executions of one user that run or wait, per process'),
  /** Model tokens per UTC day, input and output together. */
  tokensPerDay: count(5_000_000, 'model tokens of one user in one UTC day'),
  /** The files and logs of sessions, and the journals and files of executions. */
  diskBytes: count(10 * GIB, 'bytes on disk of one user, at 4 KiB and more per file', { defaultText: '10 GiB' }),
});

/** The limits of one credential. By default, only those of its user apply. */
const keyQuota = z.strictObject({
  requestsPerMinute: count(0, 'the same, for one key or subject'),
  concurrentTasks: count(0, 'the same, for one key or subject'),
  concurrentExecutions: count(0, 'the same, for one key or subject'),
  tokensPerDay: count(0, 'the same, for one key or subject'),
});

/** `rateLimits` of the configuration. */
export const rateLimitsSchema = z.strictObject({
  user: userQuota.prefault({}),
  key: keyQuota.prefault({}),
  address: z
    .strictObject({
      unauthenticatedRequestsPerMinute: count(
        600,
        'requests without a credential from one address in one minute, per process, without `/health` and `/ready`',
      ),
      failedAuthenticationsPerMinute: count(30, 'invalid credentials from one address in one minute'),
    })
    .prefault({}),
});

export type RateLimitSettings = z.output<typeof rateLimitsSchema>;
/** The limits of one user, or of one credential of a user. 0 is no limit. */
export type Quota = z.output<typeof keyQuota>;
/** The holder of a quota. */
export type Scope = 'user' | 'key';

export const SCOPES: readonly Scope[] = ['user', 'key'];
export const DEFAULT_RATE_LIMITS: RateLimitSettings = rateLimitsSchema.parse({});
