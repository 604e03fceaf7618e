import { dirname } from 'node:path';
import { dataFolderError } from '@toolwright/core/internal';
import { type TaskLease, takenOver } from './lease.ts';
import { apply, type TaskState, taskOf } from './state.ts';
import type { Task } from './task.ts';
import type { NewEvent } from './toolbox.ts';
import type { TranscriptWriter } from './transcript.ts';
import type { TranscriptEntry } from './transcript-entry.ts';

/** Reason to stop a running task from outside. An error is an error of the data folder. */
export type EndReason = 'timeoutMs' | 'cancelled' | 'interrupted' | Error;

/** A task of this process: its state and its transcript. */
export interface RunningTask {
  readonly state: TaskState;
  readonly path: string;
  readonly signal: AbortSignal;
  /** Resolves after the last entry. */
  readonly closed: Promise<Task>;
  stop(reason: EndReason): void;
  /** Whether another process has taken the task over. Nothing is written from then on. */
  readonly isTakenOver: boolean;
  /** Stops the task and raises the reason if this process does not own the task any more. */
  checkOwner(): void;
  /** Writes an entry. Never throws: a failed write stops the task. */
  append(entry: TranscriptEntry): void;
  emit(event: NewEvent): void;
  /** Writes the final outcome. */
  end(outcome: Pick<Task, 'status' | 'answer' | 'error' | 'limit'>): void;
  close(): void;
  /** Returns the size of the transcript in bytes. */
  size(): number;
  /** Resolves at the next entry, and when the transcript is closed. */
  changed(signal?: AbortSignal): Promise<void>;
  readonly isClosed: boolean;
}

/** The files of a running task. */
export interface TaskFiles {
  readonly path: string;
  readonly writer: TranscriptWriter;
  readonly lease: TaskLease;
}

/** Creates a running task from its state, its open transcript and its lease. */
export function createRunningTask(state: TaskState, { path, writer, lease }: TaskFiles): RunningTask {
  const stopping = new AbortController();
  let settle: (task: Task) => void = () => undefined;
  const closed = new Promise<Task>((resolve) => {
    settle = resolve;
  });
  const waiting = new Set<() => void>();
  let isClosed = false;
  let isTakenOver = false;
  const wake = () => {
    for (const resolve of [...waiting]) resolve();
  };
  const append = (entry: TranscriptEntry) => {
    try {
      if (!isTakenOver && !lease.isHeld()) lose();
      if (!isTakenOver) writer.append(entry);
    } catch (error) {
      stopping.abort(dataFolderError(dirname(path), error));
    }
    apply(state, entry);
    wake();
  };
  const lose = () => {
    isTakenOver = true;
    stopping.abort(takenOver(state.record.id));
  };
  const emit = (event: NewEvent) =>
    append({ entry: 'event', event: { number: state.lastEvent + 1, ...event } as never });
  // The first entry of the run is written before the first renewal: other processes then know its number.
  lease.keep(lose);
  return {
    state,
    path,
    signal: stopping.signal,
    closed,
    stop: (reason) => stopping.abort(reason),
    get isTakenOver() {
      return isTakenOver;
    },
    checkOwner() {
      if (!isTakenOver && !lease.isHeld()) lose();
      stopping.signal.throwIfAborted();
    },
    append,
    emit,
    end(outcome) {
      emit({ type: 'end', task: { ...taskOf(state), ...outcome, endedAt: new Date().toISOString() } });
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      writer.close();
      lease.release();
      settle(taskOf(state));
      wake();
    },
    size: () => writer.size(),
    changed(signal) {
      if (isClosed || signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const go = () => {
          waiting.delete(go);
          signal?.removeEventListener('abort', go);
          resolve();
        };
        signal?.addEventListener('abort', go, { once: true });
        waiting.add(go);
      });
    },
    get isClosed() {
      return isClosed;
    },
  };
}
