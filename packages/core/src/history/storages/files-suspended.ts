import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readJournalEnds } from '../../journal/ends.ts';
import { readHistory } from '../../journal/history.ts';
import { isRunning } from '../../journal/liveness.ts';
import { readRecording } from '../../journal/read-recording.ts';
import { lastQuestions } from '../../journal/recording.ts';
import type { JournalReader } from '../../journal/storages/storage.ts';
import { DEFAULT_USER } from '../../owner-name.ts';
import { dataFolder } from '../../stores/data-folder/data-folder.ts';
import { journalKey } from '../../stores/data-folder/integrity.ts';
import type { DecisionRows } from './decision-rows.ts';
import type { KnownExecutions, SuspendedExecution } from './storage.ts';

interface Searched {
  readonly dataDir: string;
  readonly journals: JournalReader;
  readonly decisions: DecisionRows;
}

/** An execution that was interrupted earlier is not continued by itself: a person may have done its work since. */
const MAX_INTERRUPTED_MS = 24 * 60 * 60 * 1_000;

/** Finds the suspended and interrupted executions of a data folder, and those of the known ones that have a new decision. */
export async function findSuspendedFiles(
  searched: Searched,
  { skipped, waiting }: KnownExecutions,
): Promise<SuspendedExecution[]> {
  const { histories } = dataFolder(searched.dataDir);
  const found: SuspendedExecution[] = [];
  for (const user of await readdir(histories).catch(() => [])) {
    for (const { id, status } of await readHistory(join(histories, user))) {
      const mayWait = status === undefined || status === 'suspended';
      if (!mayWait || skipped.has(id) || waiting.has(id)) continue;
      const execution = await find(id, searched);
      if (execution) found.push(execution);
    }
  }
  // Decisions from a time when no process continued the execution, and those whose event was lost.
  for (const id of await searched.decisions.executions()) {
    if (!waiting.has(id) || !(await hasNewDecision(id, searched).catch(() => false))) continue;
    const execution = await find(id, searched);
    if (execution) found.push({ ...execution, wakeMs: 0 });
  }
  return found;
}

/** Returns whether a suspended execution has a decision that it has not applied. */
async function hasNewDecision(id: string, { dataDir, journals, decisions }: Searched): Promise<boolean> {
  const { questions } = await readRecording(journals, id, journalKey(dataFolder(dataDir).journalKey));
  for (const { number, question, decision } of lastQuestions(questions)) {
    if (!decision && (await decisions.find(id, number, question))) return true;
  }
  return false;
}

/** Returns an execution if it is suspended, or was interrupted not long ago. */
async function find(id: string, { dataDir, journals }: Searched): Promise<SuspendedExecution | undefined> {
  const { start, suspension, end, changedMs = 0 } = (await readJournalEnds(journals, id, 'head')) ?? {};
  if (!start || end) return undefined;
  const isLate = changedMs < Date.now() - MAX_INTERRUPTED_MS;
  if (!suspension && (isLate || isRunning(dataDir, start))) return undefined;
  return { id, userId: start.user ?? DEFAULT_USER, wakeMs: suspension?.wakeMs ?? 0 };
}
