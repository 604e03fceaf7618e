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
      const refused = new SandboxError('CANCELLED', 'The execution ended before this was begun.');
      for (const { reject } of waiting.splice(0)) reject(refused);
    },
  };
}
