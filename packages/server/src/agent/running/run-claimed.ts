import { ToolwrightError } from '@toolwright/core';
import { hasEnded, taskOf } from '../state.ts';
import { takenOver } from '../storages/storage.ts';
import type { Task } from '../task.ts';
import { type TaskStates, unknownTask } from '../task-states.ts';
import { type ClaimContext, claim } from './claim-task.ts';
import { MAX_AUTOMATIC_RUNS } from './interrupted-task.ts';
import { closed, type Runner } from './runner.ts';

export interface RunClaimedContext extends ClaimContext {
  readonly runner: Runner;
  readonly states: TaskStates;
}

/** Runs or continues an accepted task in this process. Errors and result: see `ClusterTasks.run`. */
export async function runClaimed(
  id: string,
  context: RunClaimedContext,
  signal: AbortSignal | undefined,
): Promise<Task> {
  const { runner, states } = context;
  if (runner.isClosed) throw closed();
  const live = await claim(id, context);
  if (!live) {
    const state = await states.read(id);
    if (!state) throw unknownTask(id);
    if (hasEnded(state.status)) return taskOf(state);
    const message = `Another process runs the task ${id}, or its lease has not expired yet. Run it again in a few seconds.`;
    throw new ToolwrightError('TASK_RUNNING', message);
  }
  if (live.state.status === 'interrupted' && live.state.run > MAX_AUTOMATIC_RUNS) {
    await live.close();
    return taskOf(live.state);
  }
  if (live.state.status === 'interrupted') live.emit({ type: 'status', status: 'queued' });
  const stop = () => live.stop('interrupted');
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  try {
    await runner.run(live);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  if (live.isTakenOver) throw takenOver(id);
  return taskOf(live.state);
}
