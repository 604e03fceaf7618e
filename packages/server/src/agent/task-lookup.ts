import { type Logger, type Toolwright, ToolwrightError } from '@toolwright/core';
import type { Runner } from './running/runner.ts';
import type { RunningTask } from './running/running-task.ts';
import { isOpen, type TaskState, taskOf } from './state.ts';
import type { TaskStorage } from './storages/storage.ts';
import type { Task, TaskPage } from './task.ts';
import type { TaskStates } from './task-states.ts';

export interface TaskLookupOptions {
  readonly storage: TaskStorage;
  readonly states: TaskStates;
  readonly runner: Runner;
  readonly pii: Toolwright['pii'];
  /** Whether answers are restored for their user. */
  readonly restoreAnswer: boolean;
  readonly logger: Logger;
}

/** Reads tasks of a user, from memory while this process runs them, else from the storage. All raise `UNKNOWN_TASK`. */
export interface TaskLookup {
  /** Finds the state of a task; `live` is set while this process runs it. */
  find(id: string, user: string): Promise<{ readonly state: TaskState; readonly live?: RunningTask }>;
  /** Returns the task as its user may read it. */
  get(id: string, user: string): Promise<Task>;
  /** Lists the tasks of a user, newest first. Raises `CONFIG_INVALID` for a wrong page size. */
  list(user: string, page: TaskPage): Promise<readonly Task[]>;
  /** Resolves when the task has ended. Rejects with the reason of the signal. */
  ended(id: string, user: string, signal?: AbortSignal): Promise<Task>;
  /** Restores the answer of a task, unless the options forbid it. */
  present(task: Task): Promise<Task>;
}

const DEFAULT_PAGE = 20;
/** Tasks of the largest page. */
export const MAX_PAGE_TASKS = 200;

/** Creates the lookup of one storage. */
export function taskLookup({ storage, states, runner, pii, restoreAnswer, logger }: TaskLookupOptions): TaskLookup {
  const find: TaskLookup['find'] = async (id, user) => {
    const live = runner.live(id);
    return live?.state.record.userId === user ? { state: live.state, live } : { state: await states.find(id, user) };
  };
  const present = async (task: Task): Promise<Task> => {
    if (!restoreAnswer || task.answer === undefined) return task;
    try {
      const owner = { userId: task.userId, sessionId: task.sessionId };
      const answer = await pii.show(task.answer, owner);
      return answer === task.answer ? task : { ...task, answer, isRestored: true };
    } catch (error) {
      logger.warn({ taskId: task.id, err: error }, 'an answer could not be restored');
      return task;
    }
  };
  const get = async (id: string, user: string) => present(taskOf((await find(id, user)).state));
  return {
    find,
    get,
    present,
    async list(user, { limit = DEFAULT_PAGE, before, sessionId }) {
      requirePageSize(limit);
      if (before !== undefined) await states.find(before, user);
      const page: Task[] = [];
      for await (const id of storage.list(user, { before, sessionId })) {
        const task = await get(id, user).catch(ignoreUnknown);
        if (task) page.push(task);
        if (page.length >= limit) break;
      }
      return page;
    },
    async ended(id, user, signal) {
      for (;;) {
        const { state, live } = await find(id, user);
        if (!live && !isOpen(state.status)) return present(taskOf(state));
        const task = live && (await Promise.race([live.closed, aborted(signal)]));
        if (task && !isOpen(task.status) && !live.isTakenOver) return present(task);
        do await storage.released(id, signal);
        while ((await storage.lease(id))?.isAlive);
      }
    },
  };
}

function requirePageSize(limit: number): void {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= MAX_PAGE_TASKS) return;
  throw new ToolwrightError('CONFIG_INVALID', `A page has 1 to ${MAX_PAGE_TASKS} tasks, not ${String(limit)}.`);
}

function ignoreUnknown(error: unknown): undefined {
  if (!(error instanceof ToolwrightError) || error.code !== 'UNKNOWN_TASK') throw error;
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
