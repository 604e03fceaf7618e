import { type WaitSettings, waitsSchema } from '../../config/sections/waits.ts';
import type { SuspendedExecution } from '../../history/storages/storage.ts';

/** The parts of a context by which executions wait for people and times. */
export interface Waiting {
  readonly waits: WaitSettings;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives each execution that is suspended. */
  readonly suspended: (execution: SuspendedExecution) => void;
  /** Calls a function with each execution that this process suspends. Returns the function that ends this. */
  onSuspend(listener: (execution: SuspendedExecution) => void): () => void;
}

/** Opens the parts of a context by which executions wait for people and times. */
export function openWaiting(waits: Partial<WaitSettings> = {}): Waiting {
  const listeners = new Set<(execution: SuspendedExecution) => void>();
  return {
    waits: waitsSchema.parse(waits),
    now: Date.now,
    suspended(execution) {
      for (const listener of [...listeners]) listener(execution);
    },
    onSuspend(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
