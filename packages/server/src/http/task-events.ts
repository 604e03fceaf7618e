import type { Logger } from '@toolwright/core';
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { TaskEvent, Tasks } from '../agent/task.ts';
import type { HttpEnv } from './api.ts';
import { HttpProblem } from './problem.ts';
import { taskView } from './task-view.ts';

/** What a stream of events allows. */
export interface StreamLimits {
  /** Milliseconds between signs of life on a stream that has nothing to tell. */
  readonly heartbeatMs: number;
  /** Milliseconds after which a reader that takes nothing is left. It may come back with `Last-Event-ID`. */
  readonly stuckReaderMs: number;
}

export const STREAM_LIMITS: StreamLimits = { heartbeatMs: 15_000, stuckReaderMs: 30_000 };

export interface TaskStream {
  readonly tasks: Tasks;
  readonly id: string;
  readonly user: string;
  /** Number of the event after which to begin. */
  readonly after: number;
  readonly logger: Pick<Logger, 'info'>;
  readonly limits: StreamLimits;
}

/** Answers with the events of a task as server-sent events, whose ids are their numbers, until the task has ended. */
export function streamTask(
  context: Context<HttpEnv>,
  { tasks, id, user, after, logger, limits }: TaskStream,
): Response {
  context.header('cache-control', 'no-store');
  context.header('x-accel-buffering', 'no');
  return streamSSE(context, async (stream) => {
    const leaving = new AbortController();
    stream.onAbort(() => leaving.abort());
    context.req.raw.signal.addEventListener('abort', () => leaving.abort(), { once: true });
    // Nothing is read from the task while the reader takes nothing, so that nothing piles up here.
    const write = async (text: string): Promise<void> => {
      const stuck = setTimeout(() => {
        logger.info({ requestId: context.get('requestId'), taskId: id }, 'a reader took nothing and was left');
        leaving.abort();
        context.env.outgoing?.destroy();
        stream.abort();
      }, limits.stuckReaderMs);
      await stream.write(text).finally(() => clearTimeout(stuck));
    };
    let writing = Promise.resolve();
    const heartbeat = setInterval(() => {
      writing = writing.then(() => write(': alive\n\n')).catch(() => undefined);
    }, limits.heartbeatMs);
    try {
      for await (const event of tasks.events(id, { user, after, signal: leaving.signal })) {
        await writing;
        if (leaving.signal.aborted) return;
        await write(eventText(event));
      }
    } catch (error) {
      if (!leaving.signal.aborted) throw error;
    } finally {
      clearInterval(heartbeat);
    }
  });
}

/** Where a reader goes on: the `Last-Event-ID` header wins over `after`. Raises a problem 400. */
export function resumePoint(header: string | undefined, after: number | undefined): number {
  if (header === undefined || header === '') return after ?? 0;
  if (/^\d{1,15}$/.test(header)) return Number(header);
  throw new HttpProblem(400, 'BAD_REQUEST', 'Last-Event-ID is the number of an event of this task.');
}

function eventText(event: TaskEvent): string {
  const data = event.type === 'end' ? { ...event, task: taskView(event.task) } : event;
  return `id: ${event.number}\nevent: ${event.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
