import { type WaitSettings, waitsSchema } from '../config/waits.ts';
import { dataFolder } from '../journal/data-folder.ts';
import { openDecisions } from '../journal/decisions.ts';
import { journalKey } from '../journal/integrity.ts';
import type { ExecutionContext } from './execution.ts';

/** Opens the parts of a context by which executions wait for people and times. Dispose them with the data folder. */
export function openWaiting(
  dataDir: string,
  waits: Partial<WaitSettings> = {},
): Pick<ExecutionContext, 'waits' | 'now'> & { readonly decisions: ReturnType<typeof openDecisions> } {
  const folders = dataFolder(dataDir);
  return {
    decisions: openDecisions(folders.decisions, () => journalKey(folders.journalKey)),
    waits: waitsSchema.parse(waits),
    now: Date.now,
  };
}
