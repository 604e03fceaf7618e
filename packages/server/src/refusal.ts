import { randomUUID } from 'node:crypto';
import { ToolwrightError } from '@toolwright/core';
import type { Context } from 'hono';
import { HttpProblem, problemResponse } from './http/problem.ts';

/** Type of a problem that the draft of the RateLimit headers registers. */
const QUOTA_PROBLEM = 'https://iana.org/assignments/http-problem-types#quota-exceeded';
/** Seconds after which a client may try again what failed for lack of room, or of something behind us. */
export const RETRY_AFTER_SECONDS = 5;

/** The answer to a request that no route gets to see, under its id. */
export function refuse(context: Context, problem: HttpProblem): Response {
  return problemResponse(problem, context.get('requestId') ?? randomUUID());
}

/**
 * The problem of an error that means "not now": 429 for a used up quota, 503 for no room (`BUSY`), a drained process
 * (`CLOSED`) and a store that does not answer, each with `Retry-After`. `undefined` for every other error.
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

/** A problem of something behind us, which may be well again soon. */
export function unavailable(code: HttpProblem['code'], detail: string): HttpProblem {
  return new HttpProblem(503, code, detail, { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } });
}

/** What a client is told; the error's own words may name paths and hosts. */
const UNAVAILABLE: Readonly<Record<string, string>> = {
  BUSY: 'All sandboxes are busy and the queue is full. Try again later.',
  CLOSED: 'The server is going down. Try again later.',
  STORE_UNAVAILABLE: 'The store of the server does not answer. Try again later.',
};
