import { readdir, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { dataFolder, isSessionId } from '../journal/data-folder.ts';
import { readJournalEnds } from '../journal/ends.ts';
import { purgeHistories } from '../journal/history.ts';
import { isRunning } from '../journal/liveness.ts';
import { EXECUTION_SUFFIXES, removeDecisions } from '../journal/remove-execution.ts';
import { fileReader } from '../journal/storages/file-reader.ts';
import { readSession } from '../sessions/records/session-file.ts';
import type { Session } from '../sessions/session.ts';
import { removeTree } from '../workspaces/tree.ts';

export interface PurgeOptions {
  readonly dataDir: string;
  /**
   * Days after their last use at which sessions and journals are deleted; 0 keeps them. Files of killed processes are deleted
   * after a day in any case.
   */
  readonly retentionDays: number;
  /** Removes the other data of a session before its files are deleted. */
  readonly onRemove?: (session: Session) => Promise<void>;
  /** Removes expired sessions that several machines share, except some. Returns their number. Default: there are none. */
  readonly purgeShared?: (olderThanMs: number, kept: ReadonlySet<string>) => Promise<number>;
  /** Ends the purge before its next deletion. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. Default: now. */
  readonly now?: number;
}

/** Number of deletions. */
export interface PurgeResult {
  readonly sessions: number;
  readonly journals: number;
  /** Files of executions whose process was killed, and sessions whose creation or removal was interrupted. */
  readonly leftovers: number;
}

/** The state of one purge. */
interface Purge extends Pick<PurgeOptions, 'dataDir' | 'onRemove' | 'signal'> {
  readonly now: number;
  /** Older sessions and journals are deleted. Milliseconds since the epoch. */
  readonly oldestMs: number;
  readonly deleted: { -readonly [Count in keyof PurgeResult]: number };
}

/** A journal, and whether its execution may still run or go on. */
interface FoundJournal {
  readonly id: string;
  readonly session: string | undefined;
  readonly usedMs: number;
  readonly isRunning: boolean;
  readonly hasEnded: boolean;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** File whose time is that of the last purge. */
const STAMP = 'swept';
const JOURNAL = '.jsonl';
/** A damaged journal is kept as long as a whole one. */
const DAMAGED = /\.jsonl\.damaged-\d+$/;

/**
 * Deletes expired sessions and journals from a data folder, and files of killed processes, at most once a day. Keeps
 * everything that an execution of a live process uses, customers' files and skills. Raises nothing: a failed deletion is
 * repeated at the next purge.
 */
export async function purgeExpired(options: PurgeOptions): Promise<PurgeResult> {
  const { dataDir, retentionDays, onRemove, signal, now = Date.now() } = options;
  const folders = dataFolder(dataDir);
  const stamp = join(dataDir, STAMP);
  const deleted = { sessions: 0, journals: 0, leftovers: 0 };
  const last = await changeOf(stamp);
  if (last !== undefined && now - last < DAY_MS) return deleted;
  const oldestMs = retentionDays === 0 ? Number.NEGATIVE_INFINITY : now - retentionDays * DAY_MS;
  const purge: Purge = { dataDir, now, oldestMs, deleted, signal, ...(onRemove ? { onRemove } : {}) };
  const usedSessions = await purgeExecutions(folders.executions, purge);
  await purgeSessions(folders.sessions, usedSessions, purge);
  if (retentionDays !== 0) deleted.sessions += (await options.purgeShared?.(retentionDays * DAY_MS, usedSessions)) ?? 0;
  const journals = new Set(await namesIn(folders.executions));
  const hasJournal = (id: string) => journals.has(id + JOURNAL);
  await purgeHistories(folders.histories, { hasJournal, olderThanMs: now - DAY_MS, signal });
  if (!signal.aborted) await writeStamp(stamp, now);
  return deleted;
}

/** Purges the folder of executions. Returns the sessions of running executions. */
async function purgeExecutions(folder: string, purge: Purge): Promise<ReadonlySet<string>> {
  const usedSessions = new Set<string>();
  const names = await namesIn(folder);
  const present = new Set(names);
  for (const name of names) {
    if (purge.signal.aborted) break;
    const path = join(folder, name);
    if (DAMAGED.test(name)) {
      const usedMs = await changeOf(path);
      if (usedMs !== undefined && usedMs < purge.oldestMs && (await remove(path, purge))) purge.deleted.journals++;
      continue;
    }
    if (!name.endsWith(JOURNAL)) {
      const [id = ''] = name.split('.');
      if (!present.has(id + JOURNAL)) await removeLeftover(path, purge);
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
  if (isExpired && (await remove(path, purge))) {
    purge.deleted.journals++;
    await removeDecisions(dataFolder(purge.dataDir), journal.id);
  }
  // An ended execution keeps its folder only if its result is there.
  const isLeftover = isExpired || (!journal.hasEnded && purge.now - journal.usedMs > DAY_MS);
  for (const suffix of isLeftover ? EXECUTION_SUFFIXES : []) {
    const name = journal.id + suffix;
    if (suffix === JOURNAL || !present.has(name)) continue;
    if (await remove(join(dirname(path), name), purge)) purge.deleted.leftovers++;
  }
}

async function purgeSessions(folder: string, usedSessions: ReadonlySet<string>, purge: Purge): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (purge.signal.aborted) return;
    const path = join(folder, name);
    if (!isSessionId(name)) await removeLeftover(path, purge);
    else if (!usedSessions.has(name)) await purgeSession(path, name, purge);
  }
}

async function purgeSession(path: string, id: string, purge: Purge): Promise<void> {
  const session = await readSession(path, id);
  const usedMs = session ? Date.parse(session.lastUsedAt) : await changeOf(path);
  if (usedMs === undefined || usedMs >= purge.oldestMs) return;
  const hasFailed = session && (await purge.onRemove?.(session).catch(() => true));
  if (hasFailed) return;
  const expired = `${path}.expired`;
  const isRenamed = await rename(path, expired).then(
    () => true,
    () => false,
  );
  if (isRenamed && (await remove(expired, purge))) purge.deleted.sessions++;
}

/** Removes the rest of an interrupted creation or removal after a day. */
async function removeLeftover(path: string, purge: Purge): Promise<void> {
  const isOld = purge.now - ((await changeOf(path)) ?? purge.now) > DAY_MS;
  if (isOld && (await remove(path, purge))) purge.deleted.leftovers++;
}

async function remove(path: string, { signal }: Purge): Promise<boolean> {
  if (signal.aborted) return false;
  return removeTree(dirname(path), basename(path)).then(
    () => true,
    () => false,
  );
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

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

async function changeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}

async function writeStamp(path: string, now: number): Promise<void> {
  const time = new Date(now);
  await writeFile(path, '').then(
    () => utimes(path, time, time),
    () => undefined,
  );
}
