import type { Context } from 'hono';
import type { TaskEvent, Tasks } from '../../agent/task.ts';
import type { HttpEnv } from '../api.ts';
import { withExecutionId } from '../executions/execution-id.ts';
import { encodeEvent, type StreamPlace, streamEvents } from '../requests/event-stream.ts';
import { HttpProblem } from '../requests/problem.ts';
import { taskView } from '../tasks/task-view.ts';

export interface TaskStream extends StreamPlace {
  readonly tasks: Tasks;
  readonly id: string;
  readonly user: string;
  /** Number of the last event that the client has received; 0 for none. */
  readonly after: number;
}

/** Streams the events of a task as server-sent events until the task has ended. The id of an event is its number. */
export function streamTask(context: Context<HttpEnv>, { tasks, id, user, after, ...stream }: TaskStream): Response {
  async function* open(signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    for await (const event of tasks.events(id, { userId: user, after, signal })) {
      yield encodeEvent(event.number, event.type, eventView(event));
    }
  }
  return streamEvents(context, { ...stream, open, fields: { taskId: id } });
}

/** Returns the number of the last received event: `Last-Event-ID`, else `after`, else 0. Raises a problem 400. */
export function resumePoint(header: string | undefined, after: number | undefined): number {
  if (header === undefined || header === '') return after ?? 0;
  if (/^\d{1,16}$/.test(header)) return Number(header);
  throw new HttpProblem(400, 'BAD_REQUEST', 'Last-Event-ID is not a number. Send the id of the last received event.');
}

function eventView(event: TaskEvent): object {
  if (event.type === 'end') return { ...event, task: taskView(event.task) };
  if (event.type !== 'result' || event.execution === undefined) return event;
  return { ...event, execution: withExecutionId(event.execution) };
}
