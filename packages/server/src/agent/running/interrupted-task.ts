import { setTimeout as sleep } from 'node:timers/promises';
import { ToolwrightError } from '@toolwright/core';
import type { OpenModel } from '../../models/model.ts';
import { hasEnded, isOpen, type TaskState, taskOf } from '../state.ts';
import { submitTask } from '../submit.ts';
import type { SubmitTask, Task } from '../task.ts';
import type { TaskLookup } from '../task-lookup.ts';
import { type ClaimContext, claim, flushedOrClosed } from './claim-task.ts';
import type { Runner } from './runner.ts';

export interface InterruptedTaskContext extends ClaimContext {
  readonly models: OpenModel;
  readonly runner: Runner;
  readonly lookup: TaskLookup;
  /** The tasks that this process is taking over at a beat. */
  readonly takingOver: Set<string>;
}

/** Runs of a task after which only a person resumes it: it may be the reason for the ends of its processes. */
export const MAX_AUTOMATIC_RUNS = 5;

/** Milliseconds between two looks at the owner of a task. */
const LOOK_MS = 250;

/** Cancels a task that has not ended, in whichever process runs it. */
export async function cancelTask(id: string, user: string, context: InterruptedTaskContext): Promise<Task> {
  const { lookup, storage } = context;
  for (;;) {
    const { live, state } = await lookup.find(id, user);
    if (live) {
      live.stop('cancelled');
      const task = await live.closed;
      if (!live.isTakenOver) return lookup.present(task);
      continue;
    }
    if (hasEnded(state.status)) return lookup.present(taskOf(state));
    await storage.requestCancel(id);
    const claimed = await claim(id, context, { isRun: false });
    if (claimed) {
      claimed.end({ status: 'cancelled' });
      await claimed.close();
      if (!claimed.isTakenOver) return taskOf(claimed.state);
    }
    await storage.released(id);
  }
}

/**
 * Queues an interrupted task again. Returns an ended task, a task of this process, and one that a cluster runs, unchanged. Raises
 * `TASK_RUNNING` when another process runs the task. Followers of the task receive the event `resume-failed` when it cannot be queued.
 */
export async function resumeTask(id: string, user: string, context: InterruptedTaskContext): Promise<Task> {
  const { runner, lookup, models, submit } = context;
  const { live, state } = await (submit ? lookup.find(id, user) : settled(id, user, context));
  if (live || state.status !== 'interrupted') return lookup.present(taskOf(state));
  try {
    if (submit) return await resubmit(state, context, submit);
    return await runner.reserve(async (push) => {
      await models(state.record.model);
      const claimed = await claim(id, context);
      if (!claimed) return lookup.get(id, user);
      claimed.emit({ type: 'status', status: 'queued' });
      await flushedOrClosed(claimed);
      await push(claimed);
      return taskOf(claimed.state);
    });
  } catch (error) {
    if (error instanceof ToolwrightError) {
      const { code, message } = error;
      const claimed = await claim(id, context);
      claimed?.emit({ type: 'resume-failed', error: { code, message } });
      await claimed?.close();
    }
    throw error;
  }
}

async function resubmit(before: TaskState, context: InterruptedTaskContext, submit: SubmitTask): Promise<Task> {
  const { id, userId, model } = before.record;
  await context.models(model);
  const claimed = await claim(id, context, { isRun: false });
  if (!claimed) return context.lookup.get(id, userId);
  claimed.emit({ type: 'status', status: 'queued' });
  await claimed.close();
  claimed.signal.throwIfAborted();
  return submitTask(claimed.state, { ...context, submit }, (failed) =>
    failed.emit({ type: 'status', status: 'interrupted' }),
  );
}

/**
 * Takes over the task of a dead process, writes that it is interrupted, and resumes it. Rejects like {@link resumeTask}; the task is
 * interrupted then.
 */
export async function continueTask(id: string, context: InterruptedTaskContext): Promise<void> {
  const { takingOver } = context;
  takingOver.add(id);
  const taken = await interrupt(id, context).finally(() => takingOver.delete(id));
  if (taken && taken.run < MAX_AUTOMATIC_RUNS) await resumeTask(id, taken.record.userId, context);
}

/** Takes over the task of a dead process, and writes that it is interrupted. Returns undefined when another process was first. */
async function interrupt(id: string, context: InterruptedTaskContext): Promise<TaskState | undefined> {
  const claimed = await claim(id, context, { accepts: ({ status }) => isOpen(status) });
  await claimed?.close();
  return claimed?.state;
}

/**
 * Returns a task of this process, or one that no process runs. Waits until the lease of a dead process has expired. Raises `TASK_RUNNING`
 * as soon as the owner renews the lease, or another process takes the task over.
 */
async function settled(
  id: string,
  user: string,
  { lookup, storage, runner, takingOver }: InterruptedTaskContext,
): ReturnType<TaskLookup['find']> {
  let first: number | undefined;
  for (;;) {
    const lease = await storage.lease(id);
    const expiresMs = lease?.expiresMs;
    first ??= expiresMs;
    // A change by this process itself, at a beat, is none: then the task runs here soon.
    const isChanged = expiresMs !== undefined && expiresMs !== first && !takingOver.has(id);
    // Read after the claim, so that it is not older.
    const found = await lookup.find(id, user);
    if (found.live || !isOpen(found.state.status) || runner.isClosed) return found;
    if (isChanged) {
      const message = `Another process runs the task. Resume it there, or wait until it ends.`;
      throw new ToolwrightError('TASK_RUNNING', message);
    }
    await sleep(LOOK_MS);
  }
}
