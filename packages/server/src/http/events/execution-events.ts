import { createRoute } from '@hono/zod-openapi';
import * as z from 'zod';
import type { StreamPlaces } from '../../rate-limit/user-caps.ts';
import { answers, type HttpApi, type RouteOptions, userQuery } from '../api.ts';
import { withExecutionId } from '../executions/execution-id.ts';
import { EVENTS, encodeEvent, type StreamLimits, streamEvents } from '../requests/event-stream.ts';
import { accepts } from '../requests/request-checks.ts';
import { userOf } from '../user.ts';
import { resumePoint } from './task-events.ts';

const route = createRoute({
  method: 'get',
  path: '/events',
  operationId: 'streamExecutionChanges',
  summary: 'Stream the executions of the user that start, wait, go on or end',
  description:
    'Begins with the executions that have not ended; with `Last-Event-ID`, with the changes after that event. Each event is an ' +
    '`execution` with its status. A stream does not end by itself.',
  request: {
    headers: z.object({ 'last-event-id': z.string().optional() }),
    query: userQuery.extend({ after: z.coerce.number().int().min(0).optional() }),
  },
  responses: answers({ 200: { description: 'The events', schema: z.string(), type: EVENTS } }),
  middleware: [accepts(EVENTS)],
});

export interface ExecutionEventOptions extends RouteOptions {
  readonly streams: StreamLimits;
  readonly places: StreamPlaces;
}

/** Adds `/events`. */
export function addExecutionEvents(api: HttpApi, { toolwright, logger, streams, places }: ExecutionEventOptions): void {
  api.openapi(route, (context) => {
    const { userId, after } = context.req.valid('query');
    const user = userOf(context.get('principal'), userId);
    const from = resumePoint(context.req.header('last-event-id'), after);
    async function* open(signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
      const options = { userId: user, signal, after: from > 0 ? from : undefined };
      for await (const { number, execution } of toolwright.executions.changes(options)) {
        yield encodeEvent(number, 'execution', withExecutionId(execution));
      }
    }
    const leave = places.enter(user);
    return streamEvents(context, { open, fields: { userId: user }, logger, limits: streams, leave });
  });
}
