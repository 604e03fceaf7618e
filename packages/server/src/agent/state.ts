import type { ModelMessage } from '../models/model.ts';
import { NOTHING_USED } from './loop/usage.ts';
import type { RunHost } from './running/process.ts';
import type { Task, TaskExecution, TaskQuestion, TaskStatus, TaskUsage } from './task.ts';
import type { TaskRecord, TranscriptEntry } from './transcript-entry.ts';

/** The state of a task, computed from the entries of its transcript. */
export interface TaskState {
  readonly record: TaskRecord;
  status: TaskStatus;
  usage: TaskUsage;
  readonly executions: TaskExecution[];
  readonly messages: ModelMessage[];
  /** Ids of executions by the id of their call. */
  readonly started: Map<string, string>;
  /** The questions for which the last program waits. */
  pending: readonly TaskQuestion[];
  /** Number of the last event. */
  lastEvent: number;
  /** Number of the last run. */
  run: number;
  /** The process of the last run. */
  host?: RunHost;
  /** The final outcome. */
  end?: Task;
}

const ENDED: ReadonlySet<TaskStatus> = new Set(['completed', 'stopped', 'failed', 'cancelled']);

/** Returns whether a status is final. `interrupted` is not, because the task can be resumed. */
export function hasEnded(status: TaskStatus): boolean {
  return ENDED.has(status);
}

/** Returns whether the task is queued, running or waiting. */
export function isOpen(status: TaskStatus): boolean {
  return status === 'queued' || hasBegun(status);
}

/** Returns whether a process runs the task, or died while it did. */
export function hasBegun(status: TaskStatus): boolean {
  return status === 'running' || status === 'waiting';
}

/** Creates the state after the first entry of a transcript. */
export function initialState(record: TaskRecord): TaskState {
  return {
    record,
    status: 'queued',
    usage: NOTHING_USED,
    executions: [],
    messages: [],
    started: new Map(),
    pending: [],
    lastEvent: 0,
    run: 0,
  };
}

/** Updates the state with one more entry. */
export function apply(state: TaskState, entry: TranscriptEntry): void {
  if (entry.entry === 'message') state.messages.push(entry.message);
  else if (entry.entry === 'execution') state.started.set(entry.call, entry.execution);
  else if (entry.entry === 'run') {
    state.run = entry.number;
    state.host = entry.host;
  } else if (entry.entry === 'event') {
    const { event } = entry;
    state.lastEvent = event.number;
    if (event.type === 'status') state.status = event.status;
    else if (event.type === 'waiting')
      state.pending = event.questions.map((question) => ({ executionId: event.execution, ...question }));
    else if (event.type === 'usage') state.usage = event.usage;
    else if (event.type === 'result' && event.execution) state.executions.push(event.execution);
    else if (event.type === 'end') {
      state.status = event.task.status;
      state.end = event.task;
    }
  }
}

/** Computes the state from the entries of a transcript. Returns undefined without an entry `task`. */
export function stateOf(entries: readonly TranscriptEntry[]): TaskState | undefined {
  const [first] = entries;
  if (first?.entry !== 'task') return undefined;
  const { entry: _entry, ...record } = first;
  const state = initialState(record);
  for (const entry of entries.slice(1)) apply(state, entry);
  return state;
}

/** Returns the public view of a task. */
export function taskOf(state: TaskState, status: TaskStatus = state.status): Task {
  if (state.end) return state.end;
  const { language: _language, sandbox: _sandbox, limits: _limits, ...record } = state.record;
  const pending = status === 'waiting' ? { pending: state.pending } : {};
  return { ...record, status, executions: [...state.executions], ...pending, usage: state.usage };
}
