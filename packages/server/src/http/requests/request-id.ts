import { randomUUID } from 'node:crypto';
import { logIds, withLogIds } from '@toolwright/core/internal';
import type { MiddlewareHandler } from 'hono';

/** The header with the id of a request. The log lines of the request have the same id as `requestId`. */
export const REQUEST_ID = 'x-request-id';
const SANE = /^[\w.-]{1,64}$/;

/** Returns the id that a client sent, if it is sane. Otherwise returns a new one. */
export function requestIdOf(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && SANE.test(sent) ? sent : randomUUID();
}

/** Runs the work of one request, whose id is in its log lines and in its answer. */
export function withRequestId<T>(requestId: string, work: () => T): T {
  return withLogIds({ requestId }, work);
}

/** Returns the id of the current request. */
export function currentRequestId(): string {
  return logIds().requestId ?? randomUUID();
}

/** Sets `requestId`, and adds it to the answer of every route, also to an answer that a library made. */
export function addRequestId(): MiddlewareHandler<{ Variables: { requestId: string } }> {
  return async (context, next) => {
    const id = logIds().requestId ?? requestIdOf(context.req.header(REQUEST_ID));
    context.set('requestId', id);
    await withRequestId(id, next);
    // Nobody receives the answer to a client that has gone, and a header is a copy of the answer: many may go at once.
    if (!context.req.raw.signal.aborted) context.header(REQUEST_ID, id);
  };
}
