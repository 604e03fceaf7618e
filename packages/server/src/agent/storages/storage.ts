import { ToolwrightError } from '@toolwright/core';
import { unlessRunning } from '@toolwright/core/internal';
import type { TaskRecord, TranscriptEntry } from '../transcript-entry.ts';

/** The exclusive right of this process to a task, with the transcript to write to. */
export interface OwnTranscript {
  /** All entries at the time of the acquisition. */
  readonly entries: readonly TranscriptEntry[];
  /** Whether somebody asked another owner to cancel the task. */
  readonly isCancelRequested: boolean;
  /** Calls the listeners when another process may own the task, and when somebody asks to cancel it. */
  listen(listeners: OwnerListeners): void;
  /** Returns whether this process still owns the task. Call it before each effect. */
  isHeld(): boolean;
  /**
   * Adds an entry after all before. It is safe after the next `flushed`, or a moment later. Raises `TASK_TAKEN_OVER` when another
   * process owns the task.
   */
  append(entry: TranscriptEntry): void;
  /** Resolves when the entries before survive a crash of this process. Rejects with `TASK_TAKEN_OVER`, `STORE_UNAVAILABLE`. */
  flushed(): Promise<void>;
  /** Gives the task up, after the entries before are safe. With `waits`, another process must continue it. Rejects like `flushed`. */
  release(waits?: boolean): Promise<void>;
}

export interface OwnerListeners {
  lost(): void;
  cancelRequested(): void;
}

/** Reads a transcript while a process writes it. */
export interface TranscriptReader {
  /** Returns whole lines after those before; none at the end for now. After a take-over it may return earlier lines again. */
  next(): Promise<readonly string[]>;
  /** Resolves when there may be more lines, after a second at the latest, and by the signal. */
  changed(signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The owner of a task. */
export interface TaskLease {
  readonly isAlive: boolean;
  /** Milliseconds since the epoch; undefined if the lease has ended. Each renewal changes it. */
  readonly expiresMs: number | undefined;
}

export interface TaskFilter {
  readonly sessionId?: string | undefined;
  /** Tasks that are older than this one, which may belong to another session of the user. */
  readonly before?: string | undefined;
}

/**
 * The transcripts of tasks, and the leases of the processes that run them. One object is one owner. A lease that is not renewed
 * expires; then another owner can acquire the task, and the former one adds nothing more to the transcript.
 */
export interface TaskStorage extends AsyncDisposable {
  /** Milliseconds for which streamed text becomes one event; 0 for none. */
  readonly textGatherMs: number;
  /** Creates and acquires a task. `beforeCreate` may refuse it with an error. Raises `TASK_RUNNING` if the id exists. */
  create(record: TaskRecord, beforeCreate?: () => void): Promise<OwnTranscript>;
  /** Acquires a task. Returns undefined while an owner has it, and for an unknown task. */
  acquire(id: string): Promise<OwnTranscript | undefined>;
  /** Returns all entries of a task; undefined without one, or with a damaged transcript. */
  read(id: string): Promise<readonly TranscriptEntry[] | undefined>;
  /** Follows the transcript of a task that exists. */
  follow(id: string): Promise<TranscriptReader>;
  /** Returns the owner of a task; undefined without one. */
  lease(id: string): Promise<TaskLease | undefined>;
  /** Resolves when a task may have lost its owner, after a second at the latest. Rejects by the signal. */
  released(id: string, signal?: AbortSignal): Promise<void>;
  /** Yields the ids of a user's tasks, newest first. */
  list(user: string, filter?: TaskFilter): AsyncIterable<string>;
  /** Returns the ids of tasks that another process must continue: their owner is dead, or released them so. 1,000 at most. */
  waiting(): Promise<readonly string[]>;
  /** Calls `onWaiting` for each of those tasks, about every second. Returns a function that ends this. */
  watch(onWaiting: (id: string) => Promise<void>): () => void;
  /** Asks the owner to cancel a task. */
  requestCancel(id: string): Promise<void>;
  /** Deletes tasks without a change for this many days, and returns their number. */
  purge(retentionDays: number, signal: AbortSignal): Promise<number>;
}

const TASK_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Returns whether a text is the id of a task. */
export function isTaskId(id: unknown): id is string {
  return typeof id === 'string' && TASK_ID.test(id);
}

/** Returns the error of a task whose id exists. */
export function taskExists(): ToolwrightError {
  return new ToolwrightError('TASK_RUNNING', 'Another process has started this task. Follow it by its id.');
}

/** Returns the error of a process whose task another process has taken over. */
export function takenOver(task: string): ToolwrightError {
  const message = `Another process has taken the task ${task} over, because this process did not renew its lease in time. This process has stopped the task and writes nothing more. Follow the task by its id.`;
  return new ToolwrightError('TASK_TAKEN_OVER', message);
}

/** Returns a function that calls another one for each waiting task, one look at a time. */
export function createWatch(
  waiting: () => Promise<readonly string[]>,
  onWaiting: (id: string) => Promise<void>,
): () => void {
  return unlessRunning(async () => {
    for (const id of await waiting()) await onWaiting(id);
  });
}
