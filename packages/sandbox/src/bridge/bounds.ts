import { setImmediate as nextTurn } from 'node:timers/promises';
import { SandboxError } from '../errors.ts';
import type { GuestMessage } from './json.ts';

/** A semaphore: it runs a number of tasks in parallel, and further tasks in order. */
export interface Slots {
  /** Runs a task in a free slot. Rejects with `CANCELLED` if `close` is called first. */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** Takes a slot, until `leave`. Returns undefined if one is free, or else a promise. Rejects with `CANCELLED` if `close` is called first. */
  enter(): Promise<void> | undefined;
  leave(): void;
  /** Rejects all waiting tasks. */
  close(): void;
}

/**
 * Creates `count` slots. Every tool call needs one, so a free slot costs a single promise; `p-limit` costs eight
 * (docs/decisions/0021).
 */
export function createSlots(count: number): Slots {
  const waiting: { readonly start: () => void; readonly reject: (error: Error) => void }[] = [];
  let active = 0;
  const enter = () => {
    if (active >= count) return new Promise<void>((start, reject) => waiting.push({ start, reject }));
    active++;
    return undefined;
  };
  const leave = () => {
    const next = waiting.shift();
    if (next) next.start();
    else active--;
  };
  return {
    enter,
    leave,
    async run(task) {
      const turn = enter();
      if (turn) await turn;
      try {
        return await task();
      } finally {
        leave();
      }
    },
    close() {
      const message = 'The execution ended before this operation started.';
      for (const turn of waiting.splice(0)) turn.reject(new SandboxError('CANCELLED', message));
    },
  };
}

/** Requests of one guest that may be pending, timers included. */
const MAX_PENDING = 20_000;
/** Approximate bytes of memory that the pending requests of one guest may use. */
const MAX_PENDING_BYTES = 128 * 1024 * 1024;

/** The bound on the pending requests of one guest, by their number and by their memory. */
export interface Admission {
  /** Raises `BUSY` when too many requests are pending. Call it before a request is parsed. */
  check(): void;
  /** Adds and returns a request. Call `leave` when it has its answer. Raises `BUSY` when the pending ones use too much memory. */
  enter(message: GuestMessage): GuestMessage;
  leave(message: GuestMessage): void;
}

/** Creates the bound for one guest. */
export function createAdmission(): Admission {
  let pending = 0;
  let pendingBytes = 0;
  return {
    check() {
      if (pending < MAX_PENDING) return;
      const text = `More than ${MAX_PENDING} requests are pending. Await some before you send more.`;
      throw new SandboxError('BUSY', text);
    },
    enter(message) {
      if (pending > 0 && pendingBytes + message.bytes > MAX_PENDING_BYTES) {
        const text = `More than ${MAX_PENDING_BYTES} bytes of requests are pending. Await some before you send more.`;
        throw new SandboxError('BUSY', text);
      }
      pending++;
      pendingBytes += message.bytes;
      return message;
    },
    leave({ bytes }) {
      pending--;
      pendingBytes -= bytes;
    },
  };
}

/**
 * Returns a function that lets other guests run. If consecutive work of one guest has occupied the event loop for
 * longer than `maxMs`, it returns a promise of the next turn, otherwise nothing.
 */
export function createTurns(maxMs: number): () => Promise<void> | undefined {
  let started: number | undefined;
  const turn = (): Promise<void> | undefined => {
    if (started === undefined) {
      started = performance.now();
      setImmediate(() => {
        started = undefined;
      });
    } else if (performance.now() - started > maxMs) return nextTurn().then(turn);
    return undefined;
  };
  return turn;
}
