import { setTimeout as sleep } from 'node:timers/promises';
import { ToolwrightError } from '@toolwright/core';
import type { Claim } from '@toolwright/core/internal';
import type { OpenModel } from '../models/model.ts';
import type { TaskLease, TaskLeases } from './lease.ts';
import type { RunHost } from './process.ts';
import type { Runner } from './runner.ts';
import { createRunningTask, type RunningTask } from './running-task.ts';
import { hasEnded, isOpen, type TaskState, taskOf } from './state.ts';
import type { Task } from './task.ts';
import type { TaskFolder } from './task-folder.ts';
import { POLL_MS, type TaskLookup } from './task-lookup.ts';
import { continueTranscript } from './transcript.ts';

export interface LeaseContext {
  readonly folder: TaskFolder;
  readonly host: RunHost;
  readonly leases: TaskLeases;
}

export interface InterruptedTaskContext extends LeaseContext {
  readonly models: OpenModel;
  readonly runner: Runner;
  readonly lookup: TaskLookup;
  /** The tasks that this process is taking over at a beat. */
  readonly takingOver: Set<string>;
}

/** Cancels a task that has not ended. Raises `TASK_RUNNING` when another process runs it. */
export async function cancelTask(id: string, user: string, context: InterruptedTaskContext): Promise<Task> {
  const { runner, lookup } = context;
  const { live, state } = await settled(id, user, 'Cancel', context);
  if (live) {
    runner.stop(live, 'cancelled');
    return lookup.present(await live.closed);
  }
  if (state.status !== 'interrupted') return lookup.present(taskOf(state));
  const claimed = await claimInterrupted(state, context);
  if (!claimed) return lookup.get(id, user);
  claimed.end({ status: 'cancelled' });
  claimed.close();
  return taskOf(claimed.state);
}

/**
 * Queues an interrupted task again. Returns an ended task, and a task of this process, unchanged. Raises `TASK_RUNNING` when
 * another process runs the task. Followers of the task receive the event `resume-failed` when it cannot be queued.
 */
export async function resumeTask(id: string, user: string, context: InterruptedTaskContext): Promise<Task> {
  const { runner, lookup, models } = context;
  const { live, state } = await settled(id, user, 'Resume', context);
  if (live || state.status !== 'interrupted') return lookup.present(taskOf(state));
  try {
    return await runner.reserve(async (push) => {
      await models(state.record.model);
      const claimed = await claimInterrupted(state, context);
      if (!claimed) return lookup.get(id, user);
      claimed.emit({ type: 'status', status: 'queued' });
      push(claimed);
      return taskOf(claimed.state);
    });
  } catch (error) {
    if (error instanceof ToolwrightError) {
      const { code, message } = error;
      const claimed = await claimInterrupted(state, context);
      claimed?.emit({ type: 'resume-failed', error: { code, message } });
      claimed?.close();
    }
    throw error;
  }
}

/** Runs of a task after which only a person resumes it: it may be the reason for the ends of its processes. */
const MAX_AUTOMATIC_RUNS = 5;

/**
 * Takes over the task of a dead process, writes that it is interrupted, and resumes it. Rejects like {@link resumeTask}; the task is
 * interrupted then.
 */
export async function continueTask(claim: Claim, context: InterruptedTaskContext): Promise<void> {
  const { takingOver } = context;
  takingOver.add(claim.work);
  const taken = await interrupt(claim, context).finally(() => takingOver.delete(claim.work));
  if (taken && taken.run < MAX_AUTOMATIC_RUNS) await resumeTask(claim.work, taken.state.record.userId, context);
}

/** Takes over the task of a dead process, and writes that it is interrupted. Returns undefined when another process was first. */
async function interrupt(
  claim: Claim,
  context: InterruptedTaskContext,
): Promise<{ readonly state: TaskState; readonly run: number } | undefined> {
  const lease = context.leases.takeOver(claim);
  if (!lease) return undefined;
  const state = await context.folder.read(claim.work).catch(() => undefined);
  if (!state || !isOpen(state.status) || state.run >= lease.run) {
    lease.release();
    return undefined;
  }
  continueRun(state, lease, context).close();
  return { state, run: lease.run };
}

/**
 * Returns a task of this process, or one that no process runs. Waits until the lease of a dead process has expired. Raises `TASK_RUNNING`
 * as soon as the owner renews the lease, or another process takes the task over.
 */
async function settled(
  id: string,
  user: string,
  action: string,
  { lookup, leases, runner, takingOver }: InterruptedTaskContext,
): ReturnType<TaskLookup['find']> {
  let first: number | undefined;
  for (;;) {
    const claim = leases.find(id);
    const expiresMs = claim && leases.expiryOf(claim);
    first ??= expiresMs;
    // A change by this process itself, at a beat, is none: then the task runs here soon.
    const isChanged = expiresMs !== undefined && expiresMs !== first && !takingOver.has(id);
    // Read after the claim, so that it is not older.
    const found = await lookup.find(id, user);
    if (found.live || !isOpen(found.state.status) || runner.isClosed) return found;
    if (isChanged) {
      const message = `Another process of this data folder runs the task. ${action} it there, or wait until it ends.`;
      throw new ToolwrightError('TASK_RUNNING', message);
    }
    await sleep(POLL_MS);
  }
}

/** Claims an interrupted task. Returns undefined when another process was first. */
async function claimInterrupted(before: TaskState, context: LeaseContext): Promise<RunningTask | undefined> {
  const { id } = before.record;
  const found = context.leases.find(id);
  const lease = found ? context.leases.takeOver(found) : context.leases.create(id, before.run + 1);
  if (!lease) return undefined;
  try {
    const state = await context.folder.read(id);
    const isFree = state && !hasEnded(state.status) && state.run < lease.run;
    if (isFree) return continueRun(state, lease, context);
  } catch (error) {
    lease.release();
    throw error;
  }
  lease.release();
  return undefined;
}

/** Opens the next run of a task without an owner. It is interrupted until the run queues or ends it. */
function continueRun(state: TaskState, lease: TaskLease, { folder, host }: LeaseContext): RunningTask {
  const path = folder.path(state.record.id);
  const live = createRunningTask(state, { path, writer: continueTranscript(path, lease), lease });
  live.append({ entry: 'run', number: lease.run, host });
  if (isOpen(state.status)) live.emit({ type: 'status', status: 'interrupted' });
  return live;
}
