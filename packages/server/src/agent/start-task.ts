import { randomUUID } from 'node:crypto';
import type { Toolwright } from '@toolwright/core';
import { DEFAULT_USER } from '@toolwright/core/internal';
import type { OpenModel } from '../models/model.ts';
import { addToIndex } from './index-file.ts';
import { checkAllowed, checkTaskLimits } from './limits.ts';
import type { RunHost } from './process.ts';
import { checkRequest } from './request.ts';
import type { Runner } from './runner.ts';
import { createRunningTask, type RunningTask } from './running-task.ts';
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
  /** Limits of requests that set none. */
  readonly limits: TaskLimits;
  /** The highest limits that a request may set. */
  readonly maxLimits: Partial<TaskLimits>;
}

/** Checks a request, writes the first lines of its transcript and queues the task. Errors: see `Tasks.start`. */
export async function startTask(request: TaskRequest, context: StartContext, id: string = randomUUID()): Promise<Task> {
  const { toolwright, models, folder, runner, host } = context;
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
    const live = beginRun(initialState(record), { path, writer: createTranscript(path, record), run: 1, host });
    push(live);
    return taskOf(live.state);
  });
}

/** Starts a run of a task in this process: the first one, or one that continues the task. */
export function beginRun(
  state: TaskState,
  options: {
    readonly path: string;
    readonly writer: TranscriptWriter;
    readonly run: number;
    readonly host: RunHost;
  },
): RunningTask {
  const live = createRunningTask(state, options.path, options.writer);
  live.append({ entry: 'run', number: options.run, host: options.host });
  live.emit({ type: 'status', status: 'queued' });
  return live;
}
