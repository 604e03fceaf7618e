import { type Topic, topic } from '@toolwright/sandbox/internal';
import type { Task } from './agent/task.ts';

/** A started or resumed task. */
export const taskBegun: Topic<Task> = topic('toolwright.task.begun');
/** An ended or interrupted task. Its usage includes the usage before a resumption. */
export const taskEnded: Topic<Task> = topic('toolwright.task.ended');
/** A request, task or execution that was refused because of an exceeded quota. */
export const quotaRefused: Topic<{ readonly scope: string; readonly quota: string }> =
  topic('toolwright.quota.refused');
/** Work of a cluster that a worker of this process has claimed. `lostMs`: since the last sign of life of the worker that lost it. */
export const workClaimed: Topic<{ readonly kind: string; readonly waitedMs: number; readonly lostMs?: number }> =
  topic('toolwright.work.claimed');
/** The jobs that the reconciler of this process has added, and the works that had lost their worker or whose time had come. */
export const workReconciled: Topic<{ readonly jobs: number; readonly revived: number }> =
  topic('toolwright.work.reconciled');
