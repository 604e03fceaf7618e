import type { Standing } from './requests.ts';

/**
 * How the request quotas of a client stand, in the fields of draft-ietf-httpapi-ratelimit-headers-10: a policy for each
 * scope, `"user"` and `"key"`, with its quota `q` and window `w`; what remains, `r`, and when it is reset, `t`, in seconds.
 */
export function rateLimitHeaders(standings: readonly Standing[]): Record<string, string> {
  if (standings.length === 0) return {};
  const policy = standings.map(({ scope, quota, windowSeconds }) => `"${scope}";q=${quota};w=${windowSeconds}`);
  const limit = standings.map(({ scope, remaining, resetSeconds }) => `"${scope}";r=${remaining};t=${resetSeconds}`);
  return { 'RateLimit-Policy': policy.join(', '), RateLimit: limit.join(', ') };
}
