import { type Logger, ToolwrightError } from '@toolwright/core';
import type { ClusterTasks, SubmitTask } from '../../agent/task.ts';
import { BACKGROUND_PRIORITY, type WorkQueue } from '../../queue/queue.ts';
import type { Dispatcher } from '../dispatchers/dispatcher.ts';
import type { WorkEnd } from './run-work.ts';
import type { TaskWork } from './worker-options.ts';

/** Milliseconds until another run of a task whose former owner has a lease. */
const RETRY_MS = 1_000;
/** The pause grows with each lost run, up to so many times. */
const MOST_RETRIES = 30;
/** Milliseconds between two looks for tasks that were accepted and not submitted, because their process ended. */
const LOOK_MS = 2_500;
/** Codes of runs that another worker repeats: this process lost the task, ends, or cannot reach the database. */
const LEFT: ReadonlySet<string> = new Set(['TASK_TAKEN_OVER', 'CLOSED', 'STORE_UNAVAILABLE']);

/** Returns the function that passes tasks to the workers of a cluster. A task that runs or waits in the queue is not added again. */
export function submitTasks(queue: WorkQueue, dispatcher: Dispatcher): SubmitTask {
  return async (id, { userId: user, sessionId: session }) => {
    const priority = BACKGROUND_PRIORITY;
    const isNew = await queue.submit({ id, kind: 'task', user, session, priority, request: {} });
    if (!isNew) await queue.reopen(id, user, {}, priority);
    dispatcher.notify([{ id }]);
  };
}

/** Returns the work of a worker with the tasks of a cluster. Results are in the transcripts of the tasks. */
export function taskWork(tasks: ClusterTasks, logger: Logger): TaskWork {
  return {
    async run({ id, attempts }, { signal }): Promise<WorkEnd> {
      const again = { isLost: true, delayMs: RETRY_MS * Math.min(attempts, MOST_RETRIES) };
      try {
        const { status } = await tasks.run(id, { signal });
        if (status !== 'queued') return { ended: { value: null } };
        // This process ends, or the database was away.
        return { released: signal.aborted ? {} : again };
      } catch (error) {
        const code = error instanceof ToolwrightError ? error.code : undefined;
        if (code === 'TASK_RUNNING') return { released: { delayMs: RETRY_MS } };
        if (code !== undefined && LEFT.has(code)) return { released: again };
        if (code === undefined) logger.error({ err: error, taskId: id }, 'a task of the cluster failed');
        return {
          ended: { failure: { code: code ?? 'INTERNAL', message: `The task ${id} did not run. See its transcript.` } },
        };
      }
    },
  };
}

/** Submits tasks again and again that no process runs, so that none is lost between its acceptance and the queue. */
export function startTaskReconciler(tasks: ClusterTasks, submit: SubmitTask): Disposable {
  let isOpen = true;
  let timer: NodeJS.Timeout | undefined;
  const round = async () => {
    try {
      for (const task of await tasks.waiting()) if (isOpen) await submit(task.id, task);
    } catch {
      // The next round tries again.
    }
    if (isOpen) timer = setTimeout(round, LOOK_MS).unref();
  };
  timer = setTimeout(round, LOOK_MS).unref();
  return {
    [Symbol.dispose]() {
      isOpen = false;
      clearTimeout(timer);
    },
  };
}
