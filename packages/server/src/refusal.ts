import { ToolwrightError } from '@toolwright/core';
import type { Context } from 'hono';
import { HttpProblem, problemResponse } from './http/requests/problem.ts';
import { currentRequestId } from './http/requests/request-id.ts';

/** The problem type for quotas, from the draft of the RateLimit headers. */
const QUOTA_PROBLEM = 'https://iana.org/assignments/http-problem-types#quota-exceeded';
/** Seconds after which a client may retry when the server or its store is overloaded. */
export const RETRY_AFTER_SECONDS = 5;

/** Returns the response to a request that is refused before any route. */
export function refuse(context: Context, problem: HttpProblem): Response {
  return problemResponse(problem, context.get('requestId') ?? currentRequestId());
}

/**
 * Returns the problem of a temporary error, with `Retry-After`. It is 429 for an exceeded quota, and 503 for `BUSY`,
 * `LANGUAGE_SERVICE_BUSY`, `CLOSED` and a store that does not answer. Returns `undefined` for every other error.
 */
export function refusalOf(error: unknown): HttpProblem | undefined {
  if (!(error instanceof ToolwrightError)) return undefined;
  const { code, details } = error;
  if (code === 'QUOTA_EXCEEDED') {
    return new HttpProblem(429, code, error.message, {
      headers: { 'retry-after': String(details.retryAfterSeconds ?? RETRY_AFTER_SECONDS) },
      extensions: { type: QUOTA_PROBLEM },
    });
  }
  const detail = UNAVAILABLE[code];
  return detail === undefined ? undefined : unavailable(code, detail);
}

/** Returns a problem 503 with `Retry-After`. */
export function unavailable(code: HttpProblem['code'], detail: string): HttpProblem {
  return new HttpProblem(503, code, detail, { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } });
}

/** Messages for clients. The message of the error itself may contain paths and hosts. */
const UNAVAILABLE: Readonly<Record<string, string>> = {
  BUSY: 'All sandboxes are busy and the queue is full. Try again later.',
  LANGUAGE_SERVICE_BUSY: 'Too many programs are prepared at once. Try again later.',
  CLOSED: 'The server is shutting down. Try again later.',
  STORE_UNAVAILABLE: 'The store of the server does not answer. Try again later.',
};
