import { type Logger, stderrLogger, type Toolwright, ToolwrightError } from '@toolwright/core';
import { DEFAULT_USER } from '@toolwright/core/internal';
import type { Bus } from '@toolwright/storage/internal';
import { isClusterStore } from '@toolwright/storage/internal';
import type { OpenModel } from '../models/model.ts';
import { checkTaskLimits } from './limits.ts';
import { DEFAULT_RETRY, type RetrySettings } from './loop/ask-model.ts';
import { DEFAULT_CONTEXT_TOKENS } from './loop/context.ts';
import { systemPrompt } from './prompts/prompt.ts';
import { cancelTask, continueTask, resumeTask } from './running/interrupted-task.ts';
import { newInstance } from './running/process.ts';
import { runClaimed } from './running/run-claimed.ts';
import { runTask } from './running/run-task.ts';
import { openRunner } from './running/runner.ts';
import { startTask } from './start-task.ts';
import { taskOf } from './state.ts';
import { openTaskStorage } from './storages/open.ts';
import type { TaskStorage } from './storages/storage.ts';
import type { ClusterTasks, SubmitTask, Task, TaskLimits } from './task.ts';
import { taskEvents } from './task-events.ts';
import { taskLookup } from './task-lookup.ts';
import { taskStates } from './task-states.ts';

export interface TasksOptions {
  /** Runs the programs. It stays open: close the tasks first, then the Toolwright. */
  readonly toolwright: Toolwright;
  /** The data folder of the Toolwright; transcripts are in `tasks`. */
  readonly dataDir: string;
  /** The setting `store`. A `postgres://` URL keeps tasks in PostgreSQL, for all processes of a cluster. Default: the data folder. */
  readonly store?: string;
  /** Carries messages between the processes of a cluster. The caller closes it. Default: one for this process alone. */
  readonly bus?: Bus;
  /**
   * Passes accepted tasks to the workers of a cluster, which call `run`. Every process of such a cluster sets it, and `store`. Default:
   * tasks run in this process.
   */
  readonly submit?: SubmitTask;
  /** Opens the model of a task. */
  readonly models: OpenModel;
  /** Limits of a task that differ from `DEFAULT_TASK_LIMITS`; a request may set others. */
  readonly limits?: Partial<TaskLimits>;
  /** The highest limits that a request may set. Default: no bound. */
  readonly maxLimits?: Partial<TaskLimits>;
  /** Tasks that run at once. Default: 4. */
  readonly concurrent?: number;
  /** Tasks that wait in the queue. Default: 100. */
  readonly queued?: number;
  /** Path of a template of the system prompt. Default: the shipped template. */
  readonly promptFile?: string;
  /** Tokens of the longest conversation that a model receives. Default: 100,000. */
  readonly contextTokens?: number;
  /** Retries of requests to a model that is unavailable. */
  readonly retry?: Partial<RetrySettings>;
  /** Days after their last change at which transcripts are deleted; 0 keeps them. Default: 90. */
  readonly retentionDays?: number;
  /** Whether answers are restored for their user. Default: false. Transcripts and events stay redacted. */
  readonly restoreAnswer?: boolean;
  /** Default: JSON lines on stderr. */
  readonly logger?: Logger;
}

const DEFAULT_CONCURRENT = 4;
const DEFAULT_QUEUED = 100;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Default retention of transcripts in days. It is longer than any task can run. */
const DEFAULT_RETENTION_DAYS = 90;

/**
 * Opens the tasks of a data folder or of a cluster. Tasks of a dead process are resumed; with `submit`, workers do it. Disposing
 * interrupts the running tasks. Raises `CONFIG_INVALID` for wrong limits, a bad template, and `submit` without a PostgreSQL store.
 */
export async function createTasks(options: TasksOptions): Promise<ClusterTasks> {
  const { toolwright, logger = stderrLogger(), submit, models } = options;
  if (submit && !isClusterStore(options.store)) throw needsStore(options.store);
  const limits = checkTaskLimits(options.limits ?? {});
  const prompt = await systemPrompt(options.promptFile);
  const { dataDir, store, bus } = options;
  const storage = await openTaskStorage({ dataDir, store, bus, logger });
  const states = taskStates(storage, submit !== undefined);
  const retry = { ...DEFAULT_RETRY, ...options.retry };
  const { contextTokens = DEFAULT_CONTEXT_TOKENS, restoreAnswer = true, maxLimits = {} } = options;
  const runner = openRunner({
    concurrent: options.concurrent ?? DEFAULT_CONCURRENT,
    queued: options.queued ?? DEFAULT_QUEUED,
    run: (live) => runTask(live, { toolwright, models, prompt, states, logger, retry, contextTokens }),
  });
  const lookup = taskLookup({ storage, states, runner, pii: toolwright.pii, restoreAnswer, logger });
  const own = { host: newInstance(), takingOver: new Set<string>(), limits, maxLimits };
  const context = { toolwright, models, storage, states, runner, lookup, submit, ...own };
  const endWatch = submit
    ? undefined
    : storage.watch((id) =>
        continueTask(id, context).catch((err: unknown) => {
          logger.warn({ err, taskId: id }, 'an interrupted task was not resumed');
        }),
      );
  const { retentionDays = DEFAULT_RETENTION_DAYS } = options;
  const endPurging = startPurging(storage, { retentionDays, logger });
  return {
    ...tasksOf(context),
    async [Symbol.asyncDispose]() {
      endPurging();
      await runner.close();
      endWatch?.();
      await storage[Symbol.asyncDispose]();
    },
  };
}

/** Deletes old transcripts now and each day. Returns the function that ends it. */
function startPurging(
  storage: TaskStorage,
  { retentionDays, logger }: { readonly retentionDays: number; readonly logger: Logger },
): () => void {
  const ending = new AbortController();
  const purge = () =>
    void storage.purge(retentionDays, ending.signal).catch((err: unknown) => {
      if (!ending.signal.aborted) logger.warn({ err }, 'old tasks were not deleted');
    });
  purge();
  const timer = setInterval(purge, DAY_MS).unref();
  return () => {
    clearInterval(timer);
    ending.abort();
  };
}

type Context = Parameters<typeof startTask>[1] & Parameters<typeof cancelTask>[2] & Parameters<typeof runClaimed>[1];

function tasksOf(context: Context): Omit<ClusterTasks, typeof Symbol.asyncDispose> {
  const { lookup, storage, states } = context;
  return {
    start: (request, id, beforeStart) => startTask(request, context, { id, beforeStart }),
    get: (id, user = DEFAULT_USER) => lookup.get(id, user),
    list: (user = DEFAULT_USER, page = {}) => lookup.list(user, page),
    cancel: (id, user = DEFAULT_USER) => cancelTask(id, user, context),
    resume: (id, user = DEFAULT_USER) => resumeTask(id, user, context),
    events: (id, { userId = DEFAULT_USER, after = 0, signal } = {}) =>
      taskEvents(id, context, { user: userId, after, signal }),
    ended: (id, { userId = DEFAULT_USER, signal } = {}) => lookup.ended(id, userId, signal),
    run: (id, { signal } = {}) => runClaimed(id, context, signal),
    async waiting() {
      const found: Task[] = [];
      for (const id of await storage.waiting()) {
        const state = await states.read(id);
        if (state) found.push(taskOf(state));
      }
      return found;
    },
  };
}

function needsStore(store: string | undefined): ToolwrightError {
  const kind = store?.replace(/:.*/s, '') ?? 'data folder';
  const message = `createTasks: submit passes tasks to other processes, which cannot read the store "${kind}". Set store to a postgres:// URL.`;
  return new ToolwrightError('CONFIG_INVALID', message);
}
