import { ToolwrightError } from '@toolwright/core';
import type { Quota, Scope } from '@toolwright/core/internal';
import { quotaRefused } from '../diagnostics.ts';

/** What a quota is called in a sentence. */
const WORDS: Readonly<Record<keyof Quota | 'failedAuthenticationsPerMinute', string>> = {
  requestsPerMinute: 'requests per minute',
  concurrentTasks: 'tasks at once',
  concurrentExecutions: 'executions at once',
  tokensPerDay: 'tokens per day (UTC)',
  failedAuthenticationsPerMinute: 'credentials that do not count per minute',
};

const WHOSE = { user: 'You may', key: 'This key may', address: 'Your address may' } as const;

/** Makes the error of a used up quota, and tells the metrics of it. `retryAfterSeconds` is in its details. */
export function quotaError(
  scope: Scope | 'address',
  quota: keyof typeof WORDS,
  limit: number,
  retryAfterSeconds: number,
): ToolwrightError {
  quotaRefused.publish({ scope, quota });
  const message = `${WHOSE[scope]} use ${limit} ${WORDS[quota]}, and have. Try again in ${retryAfterSeconds} s.`;
  return new ToolwrightError('QUOTA_EXCEEDED', message, { details: { scope, quota, limit, retryAfterSeconds } });
}
