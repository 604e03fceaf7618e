import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, type Toolwright, ToolwrightError } from '@toolwright/core';
import { readIndex } from './index-file.ts';
import type { Runner } from './runner.ts';
import type { RunningTask } from './running-task.ts';
import { isOpen, type TaskState, taskOf } from './state.ts';
import type { Task } from './task.ts';
import type { TaskFolder } from './task-folder.ts';

export interface TaskLookupOptions {
  readonly folder: TaskFolder;
  readonly runner: Runner;
  readonly pii: Toolwright['pii'];
  /** Whether answers are restored for their user. */
  readonly restoreAnswer: boolean;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Reads tasks of a user, from memory while this process runs them, else from disk. All raise `UNKNOWN_TASK`. */
export interface TaskLookup {
  /** Finds the state of a task; `live` is set while this process runs it. */
  find(id: string, user: string): Promise<{ readonly state: TaskState; readonly live?: RunningTask }>;
  /** Returns the task as its user may read it. */
  get(id: string, user: string): Promise<Task>;
  /** Lists the tasks of a user, newest first. Raises `CONFIG_INVALID` for a wrong page size. */
  list(user: string, page: { readonly limit?: number; readonly before?: string }): Promise<readonly Task[]>;
  /** Resolves when the task has ended. Rejects with the reason of the signal. */
  ended(id: string, user: string, signal?: AbortSignal): Promise<Task>;
  /** Restores the answer of a task, unless the options forbid it. */
  present(task: Task): Promise<Task>;
}

/** Milliseconds between two reads of a task that another process runs. */
export const POLL_MS = 250;
const DEFAULT_PAGE = 20;
const MAX_PAGE = 100;

/** Creates the lookup of one data folder. */
export function taskLookup({ folder, runner, pii, restoreAnswer, logger }: TaskLookupOptions): TaskLookup {
  const find: TaskLookup['find'] = async (id, user) => {
    const live = runner.live(id);
    return live?.state.record.userId === user ? { state: live.state, live } : { state: await folder.find(id, user) };
  };
  const present = async (task: Task): Promise<Task> => {
    if (!restoreAnswer || task.answer === undefined) return task;
    try {
      const owner = { userId: task.userId, sessionId: task.sessionId };
      const answer = await pii.restore(task.answer, owner);
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
    async list(user, { limit = DEFAULT_PAGE, before }) {
      const ids = (await readIndex(folder.root, user)).map(({ id }) => id).reverse();
      const from = before === undefined ? 0 : ids.indexOf(before) + 1;
      if (before !== undefined && from === 0) await folder.find(before, user);
      requirePageSize(limit);
      const page: Task[] = [];
      for (const id of ids.slice(from)) {
        if (page.length >= limit) break;
        const task = await get(id, user).catch(ignoreUnknown);
        if (task) page.push(task);
      }
      return page;
    },
    async ended(id, user, signal) {
      for (;;) {
        const { state, live } = await find(id, user);
        if (!live && !isOpen(state.status)) return present(taskOf(state));
        const task = live && (await Promise.race([live.closed, aborted(signal)]));
        if (task && !isOpen(task.status) && !live.isTakenOver) return present(task);
        await sleep(POLL_MS, undefined, signal ? { signal } : {});
      }
    },
  };
}

function requirePageSize(limit: number): void {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= MAX_PAGE) return;
  throw new ToolwrightError('CONFIG_INVALID', `A page has 1 to ${MAX_PAGE} tasks, not ${String(limit)}.`);
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
