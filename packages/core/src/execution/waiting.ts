import { type WaitSettings, waitsSchema } from '../config/waits.ts';
import { dataFolder } from '../journal/data-folder.ts';
import { openDecisions } from '../journal/decisions.ts';
import { journalKey } from '../journal/integrity.ts';
import type { SuspendedExecution } from './continue-executions.ts';
import type { ExecutionContext } from './execution.ts';

/** The parts of a context by which executions wait for people and times. */
export interface Waiting extends Pick<ExecutionContext, 'waits' | 'now' | 'suspended'> {
  readonly decisions: ReturnType<typeof openDecisions>;
  /** Calls a function with each execution that this process suspends. Returns the function that ends this. */
  onSuspend(listener: (execution: SuspendedExecution) => void): () => void;
}

/** Opens the parts of a context by which executions wait for people and times. Dispose them with the data folder. */
export function openWaiting(dataDir: string, waits: Partial<WaitSettings> = {}): Waiting {
  const folders = dataFolder(dataDir);
  const listeners = new Set<(execution: SuspendedExecution) => void>();
  return {
    decisions: openDecisions(folders.decisions, () => journalKey(folders.journalKey)),
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
