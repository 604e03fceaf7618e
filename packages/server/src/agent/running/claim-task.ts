import { hasBegun, hasEnded, isOpen, stateOf, type TaskState } from '../state.ts';
import type { TaskStorage } from '../storages/storage.ts';
import type { SubmitTask } from '../task.ts';
import type { RunHost } from './process.ts';
import { createRunningTask, type RunningTask } from './running-task.ts';

export interface ClaimContext {
  readonly storage: TaskStorage;
  readonly host: RunHost;
  /** Passes tasks to other processes of a cluster. */
  readonly submit?: SubmitTask | undefined;
}

export interface ClaimOptions {
  /** Whether the task runs here from now on. Default: true. */
  readonly isRun?: boolean;
  /** Whether a task is claimed in this state. Default: any task that has not ended. */
  readonly accepts?: (state: TaskState) => boolean;
}

/**
 * Acquires a task for another run, or for a change. A task whose process has died is interrupted until it is queued or ended. Returns
 * undefined while another process has it, and for a task that is not accepted. Ends a task that somebody asked to cancel.
 */
export async function claim(
  id: string,
  { storage, host, submit }: ClaimContext,
  { isRun = true, accepts = ({ status }) => !hasEnded(status) }: ClaimOptions = {},
): Promise<RunningTask | undefined> {
  const transcript = await storage.acquire(id);
  if (!transcript) return undefined;
  const state = stateOf(transcript.entries);
  if (!state || !accepts(state)) {
    await transcript.release();
    return undefined;
  }
  // In a cluster, a queued task waits for its process.
  const isCrashed = submit ? hasBegun(state.status) : isOpen(state.status);
  const options = { textGatherMs: storage.textGatherMs, handsOver: submit !== undefined };
  const live = createRunningTask(state, transcript, options);
  if (isRun && transcript.isCancelRequested) {
    // The process that asked for it may be dead.
    live.end({ status: 'cancelled' });
    await live.close();
    return undefined;
  }
  if (isRun) live.append({ entry: 'run', number: state.run + 1, host });
  if (isCrashed) live.emit({ type: 'status', status: 'interrupted' });
  return live;
}

/** Waits until the entries of a task are safe. Gives the task up and rejects when they cannot be. */
export async function flushedOrClosed(live: RunningTask): Promise<void> {
  try {
    await live.flushed();
  } catch (error) {
    await live.close();
    throw error;
  }
}
