import type { ModelMessage } from '../models/model.ts';
import { isRunning, type RunHost } from './process.ts';
import type { Task, TaskExecution, TaskStatus, TaskUsage } from './task.ts';
import type { TaskRecord, TranscriptEntry } from './transcript-entry.ts';
import { NOTHING_USED } from './usage.ts';

/** What the entries of a transcript come to. */
export interface TaskState {
  readonly record: TaskRecord;
  status: TaskStatus;
  usage: TaskUsage;
  readonly executions: TaskExecution[];
  readonly messages: ModelMessage[];
  /** Executions by the call that they belong to. */
  readonly started: Map<string, string>;
  /** Number of the last event. */
  lastEvent: number;
  /** Number of the last run, and who has it. */
  run: number;
  host?: RunHost;
  /** How it ended for good. */
  end?: Task;
}

const ENDED: ReadonlySet<TaskStatus> = new Set(['completed', 'stopped', 'failed', 'cancelled']);
/** A task is taken for dead when nothing happened for as long as it may take, and so much longer; clocks differ. */
const SLACK_MS = 60_000;

/** Whether a status is for good; `interrupted` is not, since the task can go on. */
export function hasEnded(status: TaskStatus): boolean {
  return ENDED.has(status);
}

/** Whether something may still happen by itself. */
export function isOpen(status: TaskStatus): boolean {
  return status === 'running' || status === 'queued';
}

/** Begins with the first entry of a transcript. */
export function initialState(record: TaskRecord): TaskState {
  return {
    record,
    status: 'queued',
    usage: NOTHING_USED,
    executions: [],
    messages: [],
    started: new Map(),
    lastEvent: 0,
    run: 0,
  };
}

/** Takes one entry more. */
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
    else if (event.type === 'usage') state.usage = event.usage;
    else if (event.type === 'result' && event.execution) state.executions.push(event.execution);
    else if (event.type === 'end') {
      state.status = event.task.status;
      state.end = event.task;
    }
  }
}

/** The state that a transcript's entries come to. */
export function stateOf(entries: readonly TranscriptEntry[]): TaskState | undefined {
  const [first] = entries;
  if (first?.entry !== 'task') return undefined;
  const { entry: _entry, ...record } = first;
  const state = initialState(record);
  for (const entry of entries.slice(1)) apply(state, entry);
  return state;
}

/** The status as it is now: what a dead process has left running is interrupted. */
export function currentStatus(state: TaskState, changedMs: number): TaskStatus {
  if (!isOpen(state.status)) return state.status;
  // Of another machine there is only the time to go by. It counts here too: ids of processes are given out again.
  const isDead = state.host !== undefined && isRunning(state.host) === false;
  const isOver = Date.now() > changedMs + state.record.limits.timeMs + SLACK_MS;
  return isDead || isOver ? 'interrupted' : state.status;
}

/** The task as others see it. */
export function taskOf(state: TaskState, status: TaskStatus = state.status): Task {
  if (state.end) return state.end;
  const { language: _language, sandbox: _sandbox, limits: _limits, ...record } = state.record;
  return { ...record, status, executions: [...state.executions], usage: state.usage };
}
