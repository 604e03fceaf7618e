import { dataFolderError } from '@toolwright/core/internal';
import { apply, type TaskState, taskOf } from './state.ts';
import type { Task } from './task.ts';
import type { NewEvent } from './toolbox.ts';
import type { TranscriptWriter } from './transcript.ts';
import type { TranscriptEntry } from './transcript-entry.ts';

/** Why a task that runs is ended from outside; an error is one of the data folder. */
export type EndReason = 'timeMs' | 'cancelled' | 'interrupted' | Error;

/** A task of this process: its state, and the transcript that it goes into. */
export interface RunningTask {
  readonly state: TaskState;
  readonly path: string;
  readonly signal: AbortSignal;
  /** Resolves when nothing more is written. */
  readonly closed: Promise<Task>;
  stop(reason: EndReason): void;
  /** Writes an entry. A transcript that cannot be written to ends the task; nothing is thrown at who tells of it. */
  append(entry: TranscriptEntry): void;
  emit(event: NewEvent): void;
  /** Ends it for good. */
  end(outcome: Pick<Task, 'status' | 'answer' | 'error' | 'limit'>): void;
  close(): void;
  /** Bytes of the transcript. */
  size(): number;
  /** Resolves at the next entry, and when it is closed. */
  changed(signal?: AbortSignal): Promise<void>;
  readonly isClosed: boolean;
}

/** Takes on a task whose transcript is open. */
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
      stopping.abort(dataFolderError(error));
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
