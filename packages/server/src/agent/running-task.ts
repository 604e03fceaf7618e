import { dirname } from 'node:path';
import { dataFolderError } from '@toolwright/core/internal';
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

/** Creates a running task from its state and its open transcript. */
export function createRunningTask(state: TaskState, path: string, writer: TranscriptWriter): RunningTask {
  const stopping = new AbortController();
  let settle: (task: Task) => void = () => undefined;
  const closed = new Promise<Task>((resolve) => {
    settle = resolve;
  });
  const waiting = new Set<() => void>();
  let isClosed = false;
  const wake = () => {
    for (const resolve of [...waiting]) resolve();
  };
  const append = (entry: TranscriptEntry) => {
    try {
      writer.append(entry);
    } catch (error) {
      stopping.abort(dataFolderError(dirname(path), error));
    }
    apply(state, entry);
    wake();
  };
  const emit = (event: NewEvent) =>
    append({ entry: 'event', event: { number: state.lastEvent + 1, ...event } as never });
  return {
    state,
    path,
    signal: stopping.signal,
    closed,
    stop: (reason) => stopping.abort(reason),
    append,
    emit,
    end(outcome) {
      emit({ type: 'end', task: { ...taskOf(state), ...outcome, endedAt: new Date().toISOString() } });
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      writer.close();
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
