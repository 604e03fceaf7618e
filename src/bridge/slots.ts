import { ToolwrightError } from '../errors.ts';

/** A number of places; who finds none waits in order. Free places cost nothing: every tool call of a guest takes one. */
export interface Slots {
  /** Resolves when a place was taken; rejects with `CANCELLED` after `close`. */
  take(): Promise<void> | undefined;
  free(): void;
  /** Refuses everyone who waits. */
  close(): void;
}

/** Makes `count` places. */
export function createSlots(count: number): Slots {
  const waiting: { resolve(): void; reject(error: Error): void }[] = [];
  let taken = 0;
  return {
    take() {
      if (taken < count) {
        taken++;
        return undefined;
      }
      return new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }));
    },
    free() {
      const next = waiting.shift();
      if (next) next.resolve();
      else taken--;
    },
    close() {
      const refused = new ToolwrightError('CANCELLED', 'The execution ended before this call was sent.');
      for (const { reject } of waiting.splice(0)) reject(refused);
    },
  };
}
