import { ToolwrightError } from '@toolwright/core';
import type { Quota, RateLimitSettings, Scope } from '@toolwright/core/internal';
import { quotaRefused } from '../diagnostics.ts';

/** The name of each quota in messages. */
const WORDS: Readonly<Record<keyof Quota | keyof RateLimitSettings['address'], string>> = {
  requestsPerMinute: 'requests per minute',
  concurrentTasks: 'concurrent tasks',
  concurrentExecutions: 'concurrent executions',
  tokensPerDay: 'tokens per day (UTC)',
  unauthenticatedRequestsPerMinute: 'requests per minute without a credential',
  failedAuthenticationsPerMinute: 'failed authentications per minute',
};

const SCOPE_NAMES = { user: 'user', key: 'API key', address: 'client address' } as const;

/** Creates the error of an exceeded quota and counts it in the metrics. */
export function quotaError(
  scope: Scope | 'address',
  quota: keyof typeof WORDS,
  limit: number,
  retryAfterSeconds: number,
): ToolwrightError {
  quotaRefused.publish({ scope, quota });
  const message = `Rate limit of this ${SCOPE_NAMES[scope]} exceeded: ${limit} ${WORDS[quota]}. Retry in ${retryAfterSeconds} s.`;
  return new ToolwrightError('QUOTA_EXCEEDED', message, { details: { scope, quota, limit, retryAfterSeconds } });
}
