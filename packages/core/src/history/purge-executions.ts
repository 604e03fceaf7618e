import { basename, dirname, join } from 'node:path';
import { readJournalEnds } from '../journal/ends.ts';
import { purgeHistories } from '../journal/history.ts';
import { isRunning } from '../journal/liveness.ts';
import { EXECUTION_SUFFIXES } from '../journal/remove-execution.ts';
import { fileReader } from '../journal/storages/file-reader.ts';
import { dataFolder } from '../stores/data-folder/data-folder.ts';
import { changeOf, DAY_MS, namesIn, removeLeftover, removePath } from './old-files.ts';
import type { DecisionRows } from './storages/decision-rows.ts';
import type { PurgedExecutions, PurgeExecutionsOptions } from './storages/storage.ts';

/** The state of one purge. */
interface Purge extends PurgeExecutionsOptions {
  readonly dataDir: string;
  readonly deleted: { journals: number; leftovers: number };
  /** The executions without a journal from now on. */
  readonly removed: string[];
}

/** A journal, and whether its execution may still run or go on. */
interface FoundJournal {
  readonly id: string;
  readonly session: string | undefined;
  readonly usedMs: number;
  readonly isRunning: boolean;
  readonly hasEnded: boolean;
}

const JOURNAL = '.jsonl';
/** A damaged journal is kept as long as a whole one. */
const DAMAGED = /\.jsonl\.damaged-\d+$/;

/** Purges the executions of a data folder, with their files, decisions and histories. */
export async function purgeExecutions(
  dataDir: string,
  decisions: DecisionRows,
  options: PurgeExecutionsOptions,
): Promise<PurgedExecutions> {
  const { executions, histories } = dataFolder(dataDir);
  const { now, signal } = options;
  const deleted = { journals: 0, leftovers: 0 };
  const removed: string[] = [];
  const usedSessions = await purgeFolder(executions, { ...options, dataDir, deleted, removed });
  if (removed.length > 0) await decisions.remove(removed);
  const journals = new Set(await namesIn(executions));
  const hasJournal = (id: string) => journals.has(id + JOURNAL);
  await purgeHistories(histories, { hasJournal, olderThanMs: now - DAY_MS, signal });
  return { ...deleted, usedSessions };
}

/** Returns the sessions of running executions. */
async function purgeFolder(folder: string, purge: Purge): Promise<ReadonlySet<string>> {
  const usedSessions = new Set<string>();
  const names = await namesIn(folder);
  const present = new Set(names);
  for (const name of names) {
    if (purge.signal.aborted) break;
    const path = join(folder, name);
    if (DAMAGED.test(name)) {
      const usedMs = await changeOf(path);
      if (usedMs !== undefined && usedMs < purge.oldestMs && (await removePath(path, purge.signal)))
        purge.deleted.journals++;
      continue;
    }
    if (!name.endsWith(JOURNAL)) {
      const [id = ''] = name.split('.');
      if (!present.has(id + JOURNAL) && (await removeLeftover(path, purge.now, purge.signal)))
        purge.deleted.leftovers++;
      continue;
    }
    const journal = await readFound(path, purge.dataDir);
    if (journal?.isRunning && journal.session !== undefined) usedSessions.add(journal.session);
    if (journal && !journal.isRunning) await purgeExecution(path, journal, present, purge);
  }
  return usedSessions;
}

async function purgeExecution(
  path: string,
  journal: FoundJournal,
  present: ReadonlySet<string>,
  purge: Purge,
): Promise<void> {
  const isExpired = journal.usedMs < purge.oldestMs;
  if (isExpired && (await removePath(path, purge.signal))) {
    purge.deleted.journals++;
    purge.removed.push(journal.id);
  }
  // An ended execution keeps its folder only if its result is there.
  const isLeftover = isExpired || (!journal.hasEnded && purge.now - journal.usedMs > DAY_MS);
  for (const suffix of isLeftover ? EXECUTION_SUFFIXES : []) {
    const name = journal.id + suffix;
    if (suffix === JOURNAL || !present.has(name)) continue;
    if (await removePath(join(dirname(path), name), purge.signal)) purge.deleted.leftovers++;
  }
}

async function readFound(path: string, dataDir: string): Promise<FoundJournal | undefined> {
  const usedMs = await changeOf(path);
  if (usedMs === undefined) return undefined;
  const id = basename(path, JOURNAL);
  const { start, end, suspension } = (await readJournalEnds(fileReader(dirname(path)), id, 'whole')) ?? {};
  const hasEnded = end !== undefined;
  // A suspended execution needs its files, however long it waits.
  const mayRun = !hasEnded && start !== undefined && (suspension !== undefined || isRunning(dataDir, start));
  return { id, session: start?.session, usedMs, isRunning: mayRun, hasEnded };
}
