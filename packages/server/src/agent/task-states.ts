import { ToolwrightError } from '@toolwright/core';
import { isOpen, stateOf, type TaskState } from './state.ts';
import { isTaskId, type TaskStorage } from './storages/storage.ts';

/** The states of the tasks in a storage. */
export interface TaskStates {
  /** Returns a task of a user with its current status. Raises `UNKNOWN_TASK`, also for another user's task. */
  find(id: string, user: string): Promise<TaskState>;
  /** Returns a task with the status in its transcript, or undefined. */
  read(id: string): Promise<TaskState | undefined>;
  /** Returns the tasks of one session of a user, oldest first. */
  ofSession(session: string, user: string): Promise<TaskState[]>;
}

/**
 * Reads the states of tasks. An open task without a living owner is interrupted, except where a cluster continues it by itself
 * (`isDispatched`).
 */
export function taskStates(storage: TaskStorage, isDispatched: boolean): TaskStates {
  const read = async (id: string): Promise<TaskState | undefined> => {
    const entries = await storage.read(id);
    return entries && stateOf(entries);
  };
  const readCurrent = async (id: string): Promise<TaskState | undefined> => {
    const state = await read(id);
    if (!state || isDispatched || !isOpen(state.status) || (await storage.lease(id))?.isAlive) return state;
    // The owner may have ended the task, and released its lease, after the transcript was read.
    const latest = await read(id);
    if (latest && isOpen(latest.status) && latest.run === state.run) latest.status = 'interrupted';
    return latest;
  };
  return {
    read,
    async find(id, user) {
      const state = isTaskId(id) ? await readCurrent(id) : undefined;
      if (state?.record.userId === user) return state;
      throw unknownTask(id);
    },
    async ofSession(session, user) {
      const found: TaskState[] = [];
      for await (const id of storage.list(user, { sessionId: session })) {
        const state = await readCurrent(id);
        if (state?.record.userId === user && state.record.sessionId === session) found.push(state);
      }
      return found.reverse();
    },
  };
}

/** Returns the error of a task that does not exist, or belongs to another user. */
export function unknownTask(id: unknown): ToolwrightError {
  const message = `There is no task ${JSON.stringify(String(id).slice(0, 64))}. List your tasks, or start one.`;
  return new ToolwrightError('UNKNOWN_TASK', message);
}
