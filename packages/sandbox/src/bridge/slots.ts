import { SandboxError } from '../errors.ts';

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
