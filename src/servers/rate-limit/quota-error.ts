import { quotaRefused } from '../../diagnostics.ts';
import { ToolwrightError } from '../../errors.ts';
import type { Quota, Scope } from './settings.ts';

/** What a quota is called in a sentence. */
const WORDS: Readonly<Record<keyof Quota, string>> = {
  requestsPerMinute: 'requests per minute',
  concurrentTasks: 'tasks at once',
  concurrentExecutions: 'executions at once',
  tokensPerDay: 'tokens per day (UTC)',
};

/** Makes the error of a used up quota, and tells the metrics of it. `retryAfterSeconds` is in its details. */
export function quotaError(
  scope: Scope,
  quota: keyof Quota,
  limit: number,
  retryAfterSeconds: number,
): ToolwrightError {
  quotaRefused.publish({ scope, quota });
  const whose = scope === 'user' ? 'You may' : 'This key may';
  const message = `${whose} use ${limit} ${WORDS[quota]}, and have. Try again in ${retryAfterSeconds} s.`;
  return new ToolwrightError('QUOTA_EXCEEDED', message, { details: { scope, quota, limit, retryAfterSeconds } });
}
