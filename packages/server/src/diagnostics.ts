import { type Topic, topic } from '@toolwright/sandbox/internal';
import type { Task } from './agent/task.ts';

/** A started or resumed task. */
export const taskBegun: Topic<Task> = topic('toolwright.task.begun');
/** An ended or interrupted task. Its usage includes the usage before a resumption. */
export const taskEnded: Topic<Task> = topic('toolwright.task.ended');
/** A request, task or execution that was refused because of an exceeded quota. */
export const quotaRefused: Topic<{ readonly scope: string; readonly quota: string }> =
  topic('toolwright.quota.refused');
