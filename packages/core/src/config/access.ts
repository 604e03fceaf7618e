import * as z from 'zod';
import { JWT_ALGORITHMS, type JwtSettings } from './jwt-settings.ts';
import {
  DEFAULT_FAILED_AUTHENTICATIONS_PER_MINUTE,
  DEFAULT_KEY_QUOTA,
  DEFAULT_USER_QUOTA,
  type Quota,
  type RateLimitSettings,
} from './rate-limits.ts';

/** Who may use a server: `auth` of the configuration. */
export interface AuthSettings {
  /** Tokens of an issuer that are accepted beside API keys. */
  readonly jwt?: JwtSettings | undefined;
}

/** Seconds by which clocks may be said to differ at most. */
const MAX_CLOCK_TOLERANCE_SECONDS = 600;
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** `auth`: an unknown key in it is an error, since one that is misspelt would open what was meant to be closed. */
export const authSchema: z.ZodType<AuthSettings> = z.strictObject({
  jwt: z
    .strictObject({
      issuer: z.string().min(1),
      audience: z.string().min(1),
      jwksUri: z.string().refine(isTrusted, 'expected an https:// URL (http:// on this machine only)'),
      userClaim: z.string().min(1).optional(),
      algorithms: z.array(z.enum(JWT_ALGORITHMS)).min(1).optional(),
      clockToleranceSeconds: z.int().min(0).max(MAX_CLOCK_TOLERANCE_SECONDS).optional(),
    })
    .optional(),
});

/** `rateLimits`, with the defaults of what is not there. */
export const rateLimitsSchema: z.ZodType<RateLimitSettings> = z.strictObject({
  user: quota(DEFAULT_USER_QUOTA),
  key: quota(DEFAULT_KEY_QUOTA),
  address: z
    .strictObject({ failedAuthenticationsPerMinute: count(DEFAULT_FAILED_AUTHENTICATIONS_PER_MINUTE) })
    .prefault({}),
});

function count(byDefault: number) {
  return z.int().min(0, 'expected 0 (no limit) or more').default(byDefault);
}

function quota(defaults: Quota) {
  const amount = (name: keyof Quota) => count(defaults[name]);
  return z
    .strictObject({
      requestsPerMinute: amount('requestsPerMinute'),
      concurrentTasks: amount('concurrentTasks'),
      concurrentExecutions: amount('concurrentExecutions'),
      tokensPerDay: amount('tokensPerDay'),
    })
    .prefault({});
}

/** Keys that come over a line that anybody can write to prove nothing. */
function isTrusted(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
}
