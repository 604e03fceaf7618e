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

/** The name of each cap in messages. A cap limits the number of resources that a user has at once. */
const CAPS = {
  queuedExecutions: 'running and waiting executions',
  mcpSessions: 'MCP sessions',
  sessions: 'sessions',
  streams: 'open event streams',
} as const;

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

/** Creates the error of a user who has as many resources as it may have, and counts it in the metrics. */
export function capError(cap: keyof typeof CAPS, limit: number, fix: string): ToolwrightError {
  quotaRefused.publish({ scope: 'user', quota: cap });
  const message = `This user has ${limit} ${CAPS[cap]}, which is the limit. ${fix}`;
  return new ToolwrightError('QUOTA_EXCEEDED', message, { details: { scope: 'user', quota: cap, limit } });
}
