import { type Topic, topic } from '@toolwright/sandbox/internal';
import type { Task } from './agent/task.ts';

/** A task that goes on: a new one, or one that is continued. */
export const taskBegun: Topic<Task> = topic('toolwright.task.begun');
/** A task that has ended, or was interrupted. Its usage is all that it ever used, also before it was continued. */
export const taskEnded: Topic<Task> = topic('toolwright.task.ended');
/** A quota that was used up when someone wanted more. */
export const quotaRefused: Topic<{ readonly scope: string; readonly quota: string }> =
  topic('toolwright.quota.refused');
