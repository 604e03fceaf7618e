import type { Logger } from '@toolwright/core';
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { TaskEvent, Tasks } from '../agent/task.ts';
import type { HttpEnv } from './api.ts';
import { withExecutionId } from './execution-id.ts';
import { HttpProblem } from './problem.ts';
import { taskView } from './task-view.ts';

/** Limits of event streams. */
export interface StreamLimits {
  /** Milliseconds between the heartbeats of a stream. */
  readonly heartbeatMs: number;
  /**
   * Milliseconds after which the server closes the stream of a client that reads nothing. The client may continue with
   * `Last-Event-ID`.
   */
  readonly stalledClientMs: number;
}

export const STREAM_LIMITS: StreamLimits = { heartbeatMs: 15_000, stalledClientMs: 30_000 };

export interface TaskStream {
  readonly tasks: Tasks;
  readonly id: string;
  readonly user: string;
  /** Number of the last event that the client has received; 0 for none. */
  readonly after: number;
  readonly logger: Pick<Logger, 'info'>;
  readonly limits: StreamLimits;
  /** Frees the place of the stream. */
  readonly leave: () => void;
}

/** Streams the events of a task as server-sent events until the task has ended. The id of an event is its number. */
export function streamTask(
  context: Context<HttpEnv>,
  { tasks, id, user, after, logger, limits, leave }: TaskStream,
): Response {
  context.header('cache-control', 'no-store');
  context.header('x-accel-buffering', 'no');
  return streamSSE(context, async (stream) => {
    const leaving = new AbortController();
    stream.onAbort(() => leaving.abort());
    context.req.raw.signal.addEventListener('abort', () => leaving.abort(), { once: true });
    // The loop reads events only as fast as the client does, so that a slow client uses no memory.
    const write = async (text: string): Promise<void> => {
      const stuck = setTimeout(() => {
        logger.info({ requestId: context.get('requestId'), taskId: id }, 'a stalled client was disconnected');
        leaving.abort();
        context.env.outgoing?.destroy();
        stream.abort();
      }, limits.stalledClientMs);
      await stream.write(text).finally(() => clearTimeout(stuck));
    };
    let writing = Promise.resolve();
    const heartbeat = setInterval(() => {
      writing = writing.then(() => write(': alive\n\n')).catch(() => undefined);
    }, limits.heartbeatMs);
    try {
      for await (const event of tasks.events(id, { userId: user, after, signal: leaving.signal })) {
        await writing;
        if (leaving.signal.aborted) return;
        await write(eventText(event));
      }
    } catch (error) {
      if (!leaving.signal.aborted) throw error;
    } finally {
      leave();
      clearInterval(heartbeat);
    }
  });
}

/** Returns the number of the last received event: `Last-Event-ID`, else `after`, else 0. Raises a problem 400. */
export function resumePoint(header: string | undefined, after: number | undefined): number {
  if (header === undefined || header === '') return after ?? 0;
  if (/^\d{1,15}$/.test(header)) return Number(header);
  throw new HttpProblem(400, 'BAD_REQUEST', 'Last-Event-ID is not a number. Send the id of the last received event.');
}

function eventText(event: TaskEvent): string {
  return `id: ${event.number}\nevent: ${event.type}\ndata: ${JSON.stringify(eventView(event))}\n\n`;
}

function eventView(event: TaskEvent): object {
  if (event.type === 'end') return { ...event, task: taskView(event.task) };
  if (event.type !== 'result' || event.execution === undefined) return event;
  return { ...event, execution: withExecutionId(event.execution) };
}
