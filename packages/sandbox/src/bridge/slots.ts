import pLimit from 'p-limit';
import { SandboxError } from '../errors.ts';

/** A semaphore: it runs a number of tasks in parallel, and further tasks in order. */
export interface Slots {
  /** Runs a task in a free slot. Rejects with `CANCELLED` if `close` is called first. */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** Rejects all waiting tasks. */
  close(): void;
}

/** Creates `count` slots. */
export function createSlots(count: number): Slots {
  const limit = pLimit({ concurrency: count, rejectOnClear: true });
  return {
    async run(task) {
      let isBegun = false;
      try {
        return await limit(() => {
          isBegun = true;
          return task();
        });
      } catch (error) {
        if (isBegun) throw error;
        throw new SandboxError('CANCELLED', 'The execution ended before this operation started.', { cause: error });
      }
    },
    close: () => limit.clearQueue(),
  };
}
