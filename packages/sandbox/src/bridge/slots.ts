import pLimit from 'p-limit';
import { SandboxError } from '../errors.ts';

/** A number of places for work; who finds none waits in order. A free place costs next to nothing. */
export interface Slots {
  /** Runs a task in a place of its own. Rejects with `CANCELLED` when `close` came before a place was free. */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** Refuses everyone who waits. */
  close(): void;
}

/** Makes `count` places. */
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
        throw new SandboxError('CANCELLED', 'The execution ended before this was begun.', { cause: error });
      }
    },
    close: () => limit.clearQueue(),
  };
}
