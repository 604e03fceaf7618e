import { apply, isOpen, type TaskState, taskOf } from '../state.ts';
import { type OwnTranscript, takenOver } from '../storages/storage.ts';
import type { NewEvent, Task } from '../task.ts';
import type { TranscriptEntry } from '../transcript-entry.ts';

/** Reason to stop a running task from outside. An error is an error of the storage. */
export type EndReason = 'timeoutMs' | 'cancelled' | 'interrupted' | Error;

/** A task of this process: its state and its transcript. */
export interface RunningTask {
  readonly state: TaskState;
  readonly signal: AbortSignal;
  /** Resolves after the last entry. */
  readonly closed: Promise<Task>;
  stop(reason: EndReason): void;
  /** Whether another process has taken the task over. Nothing is written from then on. */
  readonly isTakenOver: boolean;
  /** Whether another process continues the task when this one ends. */
  readonly handsOver: boolean;
  /** Stops the task and raises the reason if this process does not own the task any more. */
  checkOwner(): void;
  /** Writes an entry. Never throws: a failed write stops the task. */
  append(entry: TranscriptEntry): void;
  emit(event: NewEvent): void;
  /** Resolves when all entries survive a crash of this process. Rejects with the reason of the signal. */
  flushed(): Promise<void>;
  /** Writes the final outcome. */
  end(outcome: Pick<Task, 'status' | 'answer' | 'error' | 'limit'>): void;
  /** Gives the task up, after its entries are safe. Never rejects. */
  close(): Promise<void>;
}

export interface RunningTaskOptions {
  /** Milliseconds for which streamed text becomes one event. Default: 0. */
  readonly textGatherMs?: number;
  /** Default: false. */
  readonly handsOver?: boolean;
}

/** Creates a running task from its state and its transcript. */
export function createRunningTask(
  state: TaskState,
  transcript: OwnTranscript,
  { textGatherMs = 0, handsOver = false }: RunningTaskOptions = {},
): RunningTask {
  const stopping = new AbortController();
  let settle: (task: Task) => void = () => undefined;
  const closed = new Promise<Task>((resolve) => {
    settle = resolve;
  });
  let isClosed = false;
  let isTakenOver = false;
  const lose = () => {
    isTakenOver = true;
    stopping.abort(takenOver(state.record.id));
  };
  const fail = (error: unknown) => {
    if (Object(error).code === 'TASK_TAKEN_OVER') lose();
    else stopping.abort(error);
  };
  const write = (entry: TranscriptEntry) => {
    try {
      if (!isTakenOver) transcript.append(entry);
    } catch (error) {
      fail(error);
    }
    apply(state, entry);
  };
  const writeEvent = (event: NewEvent) =>
    write({ entry: 'event', event: { number: state.lastEvent + 1, ...event } as never });
  const text = gatherText(textGatherMs, (gathered) => writeEvent({ type: 'text-delta', text: gathered }));
  const append = (entry: TranscriptEntry) => {
    text.flush();
    write(entry);
  };
  const emit = (event: NewEvent) => {
    if (event.type === 'text-delta') return text.add(event.text);
    text.flush();
    writeEvent(event);
  };
  // The first entry of the run is written before the first renewal: other processes then know its number.
  transcript.listen({ lost: lose, cancelRequested: () => stopping.abort('cancelled') });
  return {
    state,
    signal: stopping.signal,
    closed,
    handsOver,
    stop: (reason) => stopping.abort(reason),
    get isTakenOver() {
      return isTakenOver;
    },
    checkOwner() {
      if (!isTakenOver && !transcript.isHeld()) lose();
      stopping.signal.throwIfAborted();
    },
    append,
    emit,
    async flushed() {
      await transcript.flushed().catch(fail);
      stopping.signal.throwIfAborted();
    },
    end(outcome) {
      emit({ type: 'end', task: { ...taskOf(state, outcome.status), ...outcome, endedAt: new Date().toISOString() } });
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      text.flush();
      await transcript.release(isOpen(state.status)).catch((error: unknown) => {
        fail(error);
        // Nobody else knows the outcome: another process continues the task when the lease has expired.
        isTakenOver = true;
      });
      settle(taskOf(state));
    },
  };
}

/** Passes a text on at once, and the texts of the next milliseconds together. */
function gatherText(ms: number, write: (text: string) => void) {
  let gathered = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const text = gathered;
    gathered = '';
    if (text !== '') write(text);
  };
  return {
    flush,
    add(text: string) {
      if (timer) gathered += text;
      else write(text);
      if (ms > 0) timer ??= setTimeout(flush, ms).unref();
    },
  };
}
