import { join } from 'node:path';
import { type Logger, stderrLogger, type Toolwright } from '@toolwright/core';
import { DEFAULT_USER, openOwner } from '@toolwright/core/internal';
import type { OpenModel } from '../models/model.ts';
import { DEFAULT_RETRY, type RetrySettings } from './ask-model.ts';
import { DEFAULT_CONTEXT_TOKENS } from './context.ts';
import { cancelTask, continueTask, resumeTask } from './interrupted-task.ts';
import { openTaskLeases } from './lease.ts';
import { checkTaskLimits } from './limits.ts';
import { newInstance } from './process.ts';
import { systemPrompt } from './prompt.ts';
import { DEFAULT_RETENTION_DAYS, purgeTasks } from './retention.ts';
import { runTask } from './run-task.ts';
import { openRunner } from './runner.ts';
import { startTask } from './start-task.ts';
import type { TaskLimits, Tasks } from './task.ts';
import { taskEvents } from './task-events.ts';
import { openTaskFolder } from './task-folder.ts';
import { taskLookup } from './task-lookup.ts';

export interface TasksOptions {
  /** Runs the programs. It stays open: close the tasks first, then the Toolwright. */
  readonly toolwright: Toolwright;
  /** The data folder of the Toolwright; transcripts are in `tasks`. */
  readonly dataDir: string;
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
  readonly logger?: Pick<Logger, 'warn' | 'error'>;
}

const DEFAULT_CONCURRENT = 4;
const DEFAULT_QUEUED = 100;

/**
 * Opens the tasks of a data folder. Tasks of a dead process are resumed. Disposing interrupts the
 * running tasks. Raises `CONFIG_INVALID` for wrong limits or a bad template.
 */
export async function createTasks(options: TasksOptions): Promise<Tasks> {
  const { toolwright, dataDir, models, restoreAnswer = true, logger = stderrLogger() } = options;
  const limits = checkTaskLimits(options.limits ?? {});
  const prompt = await systemPrompt(options.promptFile);
  const host = newInstance();
  const root = join(dataDir, 'tasks');
  const owner = openOwner(dataDir);
  const leases = openTaskLeases(root, owner);
  const folder = openTaskFolder(root, leases);
  const retry = { ...DEFAULT_RETRY, ...options.retry };
  const { contextTokens = DEFAULT_CONTEXT_TOKENS } = options;
  const runner = openRunner({
    concurrent: options.concurrent ?? DEFAULT_CONCURRENT,
    queued: options.queued ?? DEFAULT_QUEUED,
    run: (live) => runTask(live, { toolwright, models, prompt, dataDir, folder, logger, retry, contextTokens }),
  });
  const lookup = taskLookup({ folder, runner, pii: toolwright.pii, restoreAnswer, logger });
  const { maxLimits = {} } = options;
  const context = {
    toolwright,
    models,
    folder,
    runner,
    lookup,
    host,
    leases,
    limits,
    maxLimits,
    takingOver: new Set<string>(),
  };
  const endWatch = leases.watch((claim) =>
    continueTask(claim, context).catch((err: unknown) => {
      logger.warn({ err, taskId: claim.work }, 'an interrupted task was not resumed');
    }),
  );
  const purging = new AbortController();
  const { retentionDays = DEFAULT_RETENTION_DAYS } = options;
  void purgeTasks({ root: folder.root, retentionDays, signal: purging.signal });
  return {
    start: (request, id, beforeStart) => startTask(request, context, { id, beforeStart }),
    get: (id, user = DEFAULT_USER) => lookup.get(id, user),
    list: (user = DEFAULT_USER, page = {}) => lookup.list(user, page),
    cancel: (id, user = DEFAULT_USER) => cancelTask(id, user, context),
    resume: (id, user = DEFAULT_USER) => resumeTask(id, user, context),
    events: (id, { userId = DEFAULT_USER, after = 0, signal } = {}) =>
      taskEvents(id, context, { user: userId, after, signal }),
    ended: (id, { userId = DEFAULT_USER, signal } = {}) => lookup.ended(id, userId, signal),
    async [Symbol.asyncDispose]() {
      purging.abort();
      await runner.close();
      endWatch();
      owner[Symbol.dispose]();
    },
  };
}
