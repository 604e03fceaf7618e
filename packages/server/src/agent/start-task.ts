import { randomUUID } from 'node:crypto';
import { type Toolwright, ToolwrightError } from '@toolwright/core';
import { DEFAULT_USER } from '@toolwright/core/internal';
import type { OpenModel } from '../models/model.ts';
import { addToIndex } from './index-file.ts';
import type { TaskLease, TaskLeases } from './lease.ts';
import { checkAllowed, checkTaskLimits } from './limits.ts';
import type { RunHost } from './process.ts';
import { checkRequest } from './request.ts';
import type { Runner } from './runner.ts';
import { createRunningTask, type RunningTask, type TaskFiles } from './running-task.ts';
import { initialState, type TaskState, taskOf } from './state.ts';
import type { Task, TaskLimits, TaskRequest } from './task.ts';
import type { TaskFolder } from './task-folder.ts';
import { createTranscript, type TranscriptWriter } from './transcript.ts';
import type { TaskRecord } from './transcript-entry.ts';

export interface StartContext {
  readonly toolwright: Toolwright;
  readonly models: OpenModel;
  readonly folder: TaskFolder;
  readonly runner: Runner;
  readonly host: RunHost;
  readonly leases: TaskLeases;
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
  const { toolwright, models, folder, runner, host, leases } = context;
  const { task, userId = DEFAULT_USER, language = 'typescript', sandbox, ...rest } = checkRequest(request);
  const limits = checkTaskLimits(rest.limits ?? {}, context.limits);
  checkAllowed(limits, context.maxLimits);
  return runner.reserve(async (push) => {
    const model = await models(rest.model);
    const { sessions } = toolwright;
    const { id: sessionId } = await (rest.sessionId === undefined
      ? sessions.create({ userId })
      : sessions.get(rest.sessionId, { userId }));
    const record: TaskRecord = {
      id,
      userId,
      sessionId,
      task: await toolwright.pii.redact(task, { userId, sessionId }),
      model: model.name,
      language,
      ...(sandbox === undefined ? {} : { sandbox }),
      limits,
      createdAt: new Date().toISOString(),
    };
    // The index comes first: readers skip an id without a transcript, but never find a transcript without an id.
    await addToIndex(folder.root, userId, record);
    const path = folder.path(record.id);
    beforeStart?.();
    const lease = leases.create(record.id, 1);
    if (!lease)
      throw new ToolwrightError('TASK_RUNNING', 'Another process has started this task. Follow it by its id.');
    const live = beginRun(initialState(record), { path, writer: create(path, record, lease), lease }, host);
    push(live);
    return taskOf(live.state);
  });
}

/** Starts a run of a task in this process: the first one, or one that continues the task. */
function beginRun(state: TaskState, files: TaskFiles, host: RunHost): RunningTask {
  const live = createRunningTask(state, files);
  live.append({ entry: 'run', number: files.lease.run, host });
  live.emit({ type: 'status', status: 'queued' });
  return live;
}

function create(path: string, record: TaskRecord, lease: TaskLease): TranscriptWriter {
  try {
    return createTranscript(path, record);
  } catch (error) {
    lease.release();
    throw error;
  }
}
