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
  const waiting: { resolve(): void; reject(error: Error): void }[] = [];
  let taken = 0;
  return {
    async run(task) {
      if (taken >= count) await new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }));
      else taken++;
      try {
        return await task();
      } finally {
        const next = waiting.shift();
        if (next) next.resolve();
        else taken--;
      }
    },
    close() {
      const refused = new SandboxError('CANCELLED', 'The execution ended before this operation started.');
      for (const { reject } of waiting.splice(0)) reject(refused);
    },
  };
}
