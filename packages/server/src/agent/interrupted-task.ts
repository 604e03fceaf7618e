import { ToolwrightError } from '@toolwright/core';
import type { OpenModel } from '../models/model.ts';
import { claimRun } from './claim.ts';
import type { RunHost } from './process.ts';
import type { Runner } from './runner.ts';
import type { RunningTask } from './running-task.ts';
import { beginRun } from './start-task.ts';
import { isOpen, taskOf } from './state.ts';
import type { Task } from './task.ts';
import type { TaskFolder } from './task-folder.ts';
import type { TaskLookup } from './task-lookup.ts';
import { continueTranscript } from './transcript.ts';

export interface InterruptedTaskContext {
  readonly models: OpenModel;
  readonly folder: TaskFolder;
  readonly runner: Runner;
  readonly lookup: TaskLookup;
  readonly host: RunHost;
}

/** Cancels a task that has not ended. Raises `BUSY` when another process runs it. */
export async function cancelTask(id: string, user: string, context: InterruptedTaskContext): Promise<Task> {
  const { runner, lookup } = context;
  const { state, live } = await lookup.find(id, user);
  if (live) {
    runner.stop(live, 'cancelled');
    return lookup.present(await live.closed);
  }
  if (isOpen(state.status)) {
    throw new ToolwrightError('BUSY', 'Another process of this data folder runs the task. Cancel the task there.');
  }
  if (state.status !== 'interrupted') return lookup.present(taskOf(state));
  const claimed = await claimInterrupted(id, user, context);
  if (!claimed) return lookup.get(id, user);
  claimed.live.end({ status: 'cancelled' });
  claimed.live.close();
  await claimed.release();
  return taskOf(claimed.live.state);
}

/** Queues an interrupted task again. Returns any other task unchanged. */
export async function resumeTask(id: string, user: string, context: InterruptedTaskContext): Promise<Task> {
  const { runner, lookup, models } = context;
  const { state, live } = await lookup.find(id, user);
  if (live || state.status !== 'interrupted') return lookup.present(taskOf(state));
  return runner.reserve(async (push) => {
    await models(state.record.model);
    const claimed = await claimInterrupted(id, user, context);
    if (!claimed) return lookup.get(id, user);
    push(claimed.live);
    void claimed.live.closed.then(claimed.release);
    return taskOf(claimed.live.state);
  });
}

interface ClaimedTask {
  readonly live: RunningTask;
  release(): Promise<void>;
}

/** Claims an interrupted task on disk. Returns undefined when another process has claimed it first. */
async function claimInterrupted(
  id: string,
  user: string,
  { folder, host }: InterruptedTaskContext,
): Promise<ClaimedTask | undefined> {
  const before = await folder.find(id, user);
  const path = folder.path(id);
  const claimed = await claimRun(path, before.run + 1, host);
  if (!claimed) return undefined;
  const { run, release } = claimed;
  try {
    const state = await folder.find(id, user);
    if (state.status === 'interrupted' && state.run < run) {
      return { live: beginRun(state, { path, writer: continueTranscript(path), run, host }), release };
    }
  } catch (error) {
    await release();
    throw error;
  }
  await release();
  return undefined;
}
