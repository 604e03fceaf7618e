import type { PolicyState } from './requests.ts';

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
