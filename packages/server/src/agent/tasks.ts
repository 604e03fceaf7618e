import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, stderrLogger, type Toolwright, ToolwrightError } from '@toolwright/core';
import { DEFAULT_USER } from '@toolwright/core/internal';
import type { OpenModel } from '../models/model.ts';
import { DEFAULT_RETRY, type RetrySettings } from './ask-model.ts';
import { claimRun } from './claim.ts';
import { DEFAULT_CONTEXT_TOKENS } from './context.ts';
import { followEvents } from './follow-events.ts';
import { addToIndex, readIndex } from './index-file.ts';
import { checkAllowed, checkTaskLimits } from './limits.ts';
import { openInstance } from './process.ts';
import { systemPrompt } from './prompt.ts';
import { checkRequest } from './request.ts';
import { DEFAULT_RETENTION_DAYS, purgeTasks } from './retention.ts';
import { runTask } from './run-task.ts';
import { openRunner } from './runner.ts';
import { createRunningTask, type RunningTask } from './running-task.ts';
import { initialState, isOpen, type TaskState, taskOf } from './state.ts';
import type { Task, TaskLimits, Tasks } from './task.ts';
import { openTaskFolder } from './task-folder.ts';
import { continueTranscript, createTranscript, type TranscriptWriter } from './transcript.ts';
import type { TaskRecord } from './transcript-entry.ts';

export interface TasksOptions {
  /** What carries out the work. It is not closed together with the tasks: close them first. */
  readonly toolwright: Toolwright;
  /** The data folder of the Toolwright; transcripts are in `tasks`. */
  readonly dataDir: string;
  /** Opens the model of a task. */
  readonly models: OpenModel;
  /** Limits of a task that differ from `DEFAULT_TASK_LIMITS`; a request may set others. */
  readonly limits?: Partial<TaskLimits>;
  /** The most that a request may set; default: anything. */
  readonly maxLimits?: Partial<TaskLimits>;
  /** Tasks that run at once; default 4. */
  readonly concurrent?: number;
  /** Tasks that wait for their turn; default 100. */
  readonly queued?: number;
  /** Template of the system prompt; default: the one that is shipped. */
  readonly promptFile?: string;
  /** Tokens of a conversation that a model gets at most; default 100,000. */
  readonly contextTokens?: number;
  /** How a model that does not answer is asked again. */
  readonly retry?: Partial<RetrySettings>;
  /** Days after their last change at which transcripts are deleted; 0 keeps them. Default 90. */
  readonly retentionDays?: number;
  /** Whether answers are restored for their user; no by default. On disk and in events they stay protected. */
  readonly restoreAnswer?: boolean;
  /** Default: JSON lines on stderr. */
  readonly logger?: Pick<Logger, 'warn' | 'error'>;
}

const DEFAULT_CONCURRENT = 4;
const DEFAULT_QUEUED = 100;
const DEFAULT_PAGE = 20;
const MAX_PAGE = 100;
/** Milliseconds between two looks at a task that another process runs. */
const LOOK_MS = 250;

/**
 * Opens the tasks of a data folder. What a dead process left is `interrupted`, and waits for `resume`. Leaving the
 * `await using` block interrupts what runs. Raises `CONFIG_INVALID` for wrong limits, or a bad template.
 */
export async function createTasks(options: TasksOptions): Promise<Tasks> {
  const { toolwright, dataDir, models, restoreAnswer = false, logger = stderrLogger() } = options;
  const limits = checkTaskLimits(options.limits ?? {});
  const prompt = await systemPrompt(options.promptFile);
  const instance = openInstance();
  const folder = openTaskFolder(dataDir, (name) => name === instance.host.instance, logger);
  const context = {
    toolwright,
    models,
    prompt,
    dataDir,
    folder,
    logger,
    retry: { ...DEFAULT_RETRY, ...options.retry },
    contextTokens: options.contextTokens ?? DEFAULT_CONTEXT_TOKENS,
  };
  const runner = openRunner({
    concurrent: options.concurrent ?? DEFAULT_CONCURRENT,
    queued: options.queued ?? DEFAULT_QUEUED,
    run: (live) => runTask(live, context),
  });

  const purging = new AbortController();
  const { retentionDays = DEFAULT_RETENTION_DAYS } = options;
  void purgeTasks({ root: folder.root, retentionDays, signal: purging.signal });

  /** The task as its user gets it. */
  const shown = async (task: Task): Promise<Task> => {
    if (!restoreAnswer || task.answer === undefined) return task;
    try {
      const owner = { userId: task.user, sessionId: task.session };
      return { ...task, answer: await toolwright.pii.restore(task.answer, owner) };
    } catch (error) {
      logger.warn({ task: task.id, err: error }, 'an answer could not be restored');
      return task;
    }
  };
  /** A task of a user: as it runs here, else as it is on disk. */
  const find = async (id: string, user: string): Promise<{ state: TaskState; live?: RunningTask }> => {
    const live = runner.live(id);
    return live?.state.record.user === user ? { state: live.state, live } : { state: await folder.find(id, user) };
  };
  const get = async (id: string, user = DEFAULT_USER) => shown(taskOf((await find(id, user)).state));
  const endOf = async (id: string, user: string, signal?: AbortSignal): Promise<Task> => {
    for (;;) {
      const { state, live } = await find(id, user);
      if (!live && !isOpen(state.status)) return taskOf(state);
      const task = live && (await Promise.race([live.closed, aborted(signal)]));
      if (task && !isOpen(task.status)) return task;
      await sleep(LOOK_MS, undefined, signal ? { signal } : {});
    }
  };
  const take = (state: TaskState, path: string, writer: TranscriptWriter, run: number) => {
    const live = createRunningTask(state, path, writer);
    live.append({ entry: 'run', number: run, host: instance.host });
    live.emit({ type: 'status', status: 'queued' });
    return live;
  };

  return {
    async start(request) {
      const { task, user = DEFAULT_USER, language, sandbox } = checkRequest(request);
      const taskLimits = checkTaskLimits(request.limits ?? {}, limits);
      checkAllowed(taskLimits, options.maxLimits ?? {});
      return runner.reserve(async (push) => {
        const model = await models(request.model);
        const sessions = toolwright.sessions;
        const { id: session } = await (request.session === undefined
          ? sessions.create({ userId: user })
          : sessions.get(request.session, { userId: user }));
        const record: TaskRecord = {
          id: randomUUID(),
          user,
          session,
          task: await toolwright.pii.redact(task, { userId: user, sessionId: session }),
          model: model.name,
          language,
          ...(sandbox === undefined ? {} : { sandbox }),
          limits: taskLimits,
          createdAt: new Date().toISOString(),
        };
        // An id without a transcript is nothing; a transcript without an id would be a task that nobody finds.
        await addToIndex(folder.root, user, record);
        const path = folder.path(record.id);
        const live = take(initialState(record), path, createTranscript(path, record), 1);
        push(live);
        return taskOf(live.state);
      });
    },
    get,
    async list(user = DEFAULT_USER, { limit = DEFAULT_PAGE, before } = {}) {
      const ids = (await readIndex(folder.root, user)).map(({ id }) => id).reverse();
      const from = before === undefined ? 0 : ids.indexOf(before) + 1;
      if (before !== undefined && from === 0) await folder.find(before, user);
      if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_PAGE) {
        throw new ToolwrightError('CONFIG_INVALID', `A page has 1 to ${MAX_PAGE} tasks, not ${String(limit)}.`);
      }
      const page: Task[] = [];
      for (const id of ids.slice(from)) {
        if (page.length >= limit) break;
        const task = await get(id, user).catch(ignoreUnknown);
        if (task) page.push(task);
      }
      return page;
    },
    async cancel(id, user = DEFAULT_USER) {
      const { state, live } = await find(id, user);
      if (live) {
        runner.stop(live, 'cancelled');
        return shown(await live.closed);
      }
      if (isOpen(state.status)) {
        throw new ToolwrightError('BUSY', 'The task is run by another process of this data folder. Cancel it there.');
      }
      if (state.status !== 'interrupted') return shown(taskOf(state));
      const claimed = await claim(id, user);
      if (!claimed) return get(id, user);
      claimed.live.end({ status: 'cancelled' });
      claimed.live.close();
      await claimed.release();
      return taskOf(claimed.live.state);
    },
    async resume(id, user = DEFAULT_USER) {
      const { state, live } = await find(id, user);
      if (live || state.status !== 'interrupted') return shown(taskOf(state));
      return runner.reserve(async (push) => {
        await models(state.record.model);
        const claimed = await claim(id, user);
        if (!claimed) return get(id, user);
        push(claimed.live);
        void claimed.live.closed.then(claimed.release);
        return taskOf(claimed.live.state);
      });
    },
    events(id, { user = DEFAULT_USER, after = 0, signal } = {}) {
      const begin = async () => {
        await find(id, user);
        return followEvents(folder.path(id), {
          after,
          signal,
          async more(bytes) {
            const { state, live } = await find(id, user);
            if (live) {
              if (live.size() > bytes) return true;
              await live.changed(signal);
              return true;
            }
            // What came between the last look and the end of the task.
            if ((await stat(folder.path(id))).size > bytes) return true;
            if (isOpen(state.status)) await sleep(LOOK_MS, undefined, signal ? { signal } : {}).catch(() => undefined);
            return isOpen(state.status);
          },
        });
      };
      return (async function* () {
        yield* await begin();
      })();
    },
    async ended(id, { user = DEFAULT_USER, signal } = {}) {
      return shown(await endOf(id, user, signal));
    },
    async [Symbol.asyncDispose]() {
      purging.abort();
      await runner.close();
      instance.close();
    },
  };

  /** Takes an interrupted task from disk, unless a process is faster. */
  async function claim(id: string, user: string) {
    const before = await folder.find(id, user);
    const path = folder.path(id);
    const claimed = await claimRun(path, before.run + 1, instance.host);
    if (!claimed) return undefined;
    try {
      const state = await folder.find(id, user);
      if (state.status === 'interrupted' && state.run < claimed.run) {
        const live = take(state, path, continueTranscript(path), claimed.run);
        return { live, release: claimed.release };
      }
    } catch (error) {
      await claimed.release();
      throw error;
    }
    await claimed.release();
    return undefined;
  }
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
