import { createRoute } from '@hono/zod-openapi';
import type { ExecutionBatch } from '@toolwright/core';
import * as z from 'zod';
import { answers, type HttpApi } from '../api.ts';
import { listedView } from '../executions/execution-list.ts';
import { EVENTS, encodeEvent, streamEvents } from '../requests/event-stream.ts';
import { accepts } from '../requests/request-checks.ts';
import { subjectsOf, subjectsQuery } from '../user.ts';
import type { ExecutionEventOptions } from './execution-events.ts';
import { resumePoint } from './task-events.ts';

const route = createRoute({
  method: 'get',
  path: '/executions/events',
  operationId: 'streamExecutions',
  summary: 'Stream executions and their calls in batches',
  description:
    'An event `executions` has those that started, wait, went on or ended since the last event, as lists have them; the first one has ' +
    'those that have not ended, or with `Last-Event-ID` the changes after it. An event `calls` has the calls of executions of this ' +
    'process, which are not repeated. After an event `reset`, list the executions again: the client was too far behind.',
  request: {
    headers: z.object({ 'last-event-id': z.string().optional() }),
    query: subjectsQuery.extend({ after: z.coerce.number().int().min(0).optional() }),
  },
  responses: answers({ 200: { description: 'The events', schema: z.string(), type: EVENTS } }),
  middleware: [accepts(EVENTS)],
});

/** Adds `/executions/events`. */
export function addExecutionFeed(api: HttpApi, { toolwright, logger, streams, places }: ExecutionEventOptions): void {
  api.openapi(route, (context) => {
    const { after, ...users } = context.req.valid('query');
    const principal = context.get('principal');
    const subjects = subjectsOf(principal, users, 'executions:decide');
    const from = resumePoint(context.req.header('last-event-id'), after);
    async function* open(signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
      const options = { ...subjects, signal, after: from > 0 ? from : undefined };
      for await (const batch of toolwright.executions.follow(options)) yield eventsOf(batch);
    }
    const leave = places.enter(principal.user);
    return streamEvents(context, { open, fields: subjects, logger, limits: streams, leave });
  });
}

/** The encoded events of batches. Followers with the same rights share a batch, which is encoded once. */
const encoded = new WeakMap<ExecutionBatch, Uint8Array>();

function eventsOf(batch: ExecutionBatch): Uint8Array {
  const known = encoded.get(batch);
  if (known) return known;
  const { number, executions, calls, isReset } = batch;
  const events = [
    ...(isReset ? [encodeEvent(number, 'reset', {})] : []),
    ...(executions.length > 0 || (calls.length === 0 && !isReset)
      ? [encodeEvent(number, 'executions', { executions: executions.map(listedView) })]
      : []),
    ...(calls.length > 0 ? [encodeEvent(number, 'calls', { batches: calls })] : []),
  ];
  const bytes = Buffer.concat(events);
  encoded.set(batch, bytes);
  return bytes;
}
