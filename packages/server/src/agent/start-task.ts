import { randomUUID } from 'node:crypto';
import type { Toolwright } from '@toolwright/core';
import { DEFAULT_USER } from '@toolwright/core/internal';
import type { OpenModel } from '../models/model.ts';
import { checkAllowed, checkTaskLimits } from './limits.ts';
import { checkRequest } from './request.ts';
import { flushedOrClosed } from './running/claim-task.ts';
import type { RunHost } from './running/process.ts';
import { closed, type Runner } from './running/runner.ts';
import { createRunningTask, type RunningTask } from './running/running-task.ts';
import { initialState, taskOf } from './state.ts';
import type { TaskStorage } from './storages/storage.ts';
import { submitTask } from './submit.ts';
import type { SubmitTask, Task, TaskLimits, TaskRequest } from './task.ts';
import type { TaskRecord } from './transcript-entry.ts';

export interface StartContext {
  readonly toolwright: Toolwright;
  readonly models: OpenModel;
  readonly storage: TaskStorage;
  readonly runner: Runner;
  readonly host: RunHost;
  /** Passes accepted tasks to other processes. */
  readonly submit?: SubmitTask | undefined;
  /** Limits of requests that set none. */
  readonly limits: TaskLimits;
  /** The highest limits that a request may set. */
  readonly maxLimits: Partial<TaskLimits>;
}

interface StartOptions {
  readonly id?: string | undefined;
  /** Called immediately before the task exists. An error that it throws refuses the task. */
  readonly beforeStart?: (() => void) | undefined;
}

/** Checks a request, writes the first lines of its transcript and queues the task. Errors: see `Tasks.start`. */
export async function startTask(
  request: TaskRequest,
  context: StartContext,
  { id = randomUUID(), beforeStart }: StartOptions = {},
): Promise<Task> {
  const { storage, runner, host, submit } = context;
  const { textGatherMs } = storage;
  const checked = checkRequest(request);
  const limits = checkTaskLimits(checked.limits ?? {}, context.limits);
  checkAllowed(limits, context.maxLimits);
  if (runner.isClosed) throw closed();
  const create = async () => {
    const record = await recordOf(id, { ...checked, limits }, context);
    const transcript = await storage.create(record, beforeStart);
    return createRunningTask(initialState(record), transcript, { textGatherMs });
  };
  if (submit) return accept(await create(), { ...context, submit });
  return runner.reserve(async (push) => {
    const live = await create();
    live.append({ entry: 'run', number: 1, host });
    live.emit({ type: 'status', status: 'queued' });
    await flushedOrClosed(live);
    await push(live);
    return taskOf(live.state);
  });
}

/** Writes that a task is queued, and passes it to another process. */
async function accept(live: RunningTask, context: StartContext & { readonly submit: SubmitTask }): Promise<Task> {
  live.emit({ type: 'status', status: 'queued' });
  await live.close();
  live.signal.throwIfAborted();
  return submitTask(live.state, context, (failed, error) => failed.end({ status: 'failed', error }));
}

/** Opens the model and the session of a request. */
async function recordOf(
  id: string,
  {
    task,
    userId = DEFAULT_USER,
    language = 'typescript',
    sandbox,
    limits,
    profile,
    ...rest
  }: TaskRequest & { limits: TaskLimits },
  { toolwright: { sessions, pii }, models }: StartContext,
): Promise<TaskRecord> {
  const model = await models(rest.model);
  const { id: sessionId } = await (rest.sessionId === undefined
    ? sessions.create({ userId })
    : sessions.get(rest.sessionId, { userId }));
  return {
    id,
    userId,
    sessionId,
    task: await pii.redact(task, { userId, sessionId }),
    model: model.name,
    language,
    sandbox,
    profile,
    limits,
    createdAt: new Date().toISOString(),
  };
}
