import { readdir, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { dataFolder, isSessionId } from '../journal/data-folder.ts';
import { readJournalEnds } from '../journal/journal.ts';
import { readSession, type Session } from '../sessions/record.ts';
import { removeTree } from '../workspaces/tree.ts';

export interface PurgeOptions {
  readonly dataDir: string;
  /** Days after which what nobody used is deleted; 0 keeps it. Leftovers of dead processes go after a day in any case. */
  readonly retentionDays: number;
  /** Ends what is kept of a session elsewhere, before its files go. */
  readonly onRemove?: (session: Session) => Promise<void>;
  /** Ends the sweep between two deletions. */
  readonly signal: AbortSignal;
  /** Default: now. Milliseconds since the epoch. */
  readonly now?: number;
}

/** How much was deleted. */
export interface PurgeResult {
  readonly sessions: number;
  readonly journals: number;
  /** Files of executions whose process was killed, sessions that were half made or half removed. */
  readonly leftovers: number;
}

/** A ledger, and whether its execution may still run. */
interface FoundJournal {
  readonly id: string;
  readonly session: string | undefined;
  readonly usedMs: number;
  readonly isRunning: boolean;
  readonly hasEnded: boolean;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const STAMP = 'swept';
const JOURNAL = '.jsonl';
/** What an execution keeps beside its ledger, after its id. */
const FOLDERS = ['.files', '.files.parts', '.skills', '.skills.parts'];

/**
 * Deletes from a data folder what is too old, and what killed processes left: at most once a day, one thing after
 * another. What an execution of a live process uses stays, however old it is. A customer's files are never deleted, and
 * skills are not either. Nothing is raised: what cannot be deleted is tried again the next time.
 */
export async function purgeExpired({
  dataDir,
  retentionDays,
  onRemove,
  signal,
  now = Date.now(),
}: PurgeOptions): Promise<PurgeResult> {
  const folders = dataFolder(dataDir);
  const stamp = join(dataDir, STAMP);
  const purged = { sessions: 0, journals: 0, leftovers: 0 };
  const last = await changeOf(stamp);
  if (last !== undefined && now - last < DAY_MS) return purged;
  const oldestMs = retentionDays === 0 ? Number.NEGATIVE_INFINITY : now - retentionDays * DAY_MS;
  const remove = async (path: string): Promise<boolean> => {
    if (signal.aborted) return false;
    return removeTree(dirname(path), basename(path)).then(
      () => true,
      () => false,
    );
  };

  const used = new Set<string>();
  const names = await namesIn(folders.executions);
  const present = new Set(names);
  for (const name of names) {
    if (signal.aborted) return purged;
    const path = join(folders.executions, name);
    if (!name.endsWith(JOURNAL)) {
      const [id = ''] = name.split('.');
      const isOrphan = !present.has(id + JOURNAL) && now - ((await changeOf(path)) ?? now) > DAY_MS;
      if (isOrphan && (await remove(path))) purged.leftovers++;
      continue;
    }
    const journal = await readFound(path, oldestMs);
    if (!journal) continue;
    if (journal.isRunning && journal.session !== undefined) used.add(journal.session);
    if (journal.isRunning) continue;
    const isOld = journal.usedMs < oldestMs;
    if (isOld && (await remove(path))) purged.journals++;
    // Files stay beside a ledger that has an end when a result lies among them.
    const isLeft = isOld || (!journal.hasEnded && now - journal.usedMs > DAY_MS);
    for (const suffix of isLeft ? FOLDERS : []) {
      if (present.has(journal.id + suffix) && (await remove(join(folders.executions, journal.id + suffix)))) {
        purged.leftovers++;
      }
    }
  }

  for (const name of await namesIn(folders.sessions)) {
    if (signal.aborted) return purged;
    const path = join(folders.sessions, name);
    if (!isSessionId(name)) {
      if (now - ((await changeOf(path)) ?? now) > DAY_MS && (await remove(path))) purged.leftovers++;
      continue;
    }
    const session = await readSession(path, name);
    const usedMs = session ? Date.parse(session.lastUsedAt) : await changeOf(path);
    if (usedMs === undefined || usedMs >= oldestMs || used.has(name)) continue;
    const isKept = session && (await onRemove?.(session).catch(() => true));
    if (isKept) continue;
    const doomed = `${path}.expired`;
    const isGone = await rename(path, doomed).then(
      () => true,
      () => false,
    );
    if (isGone && (await remove(doomed))) purged.sessions++;
  }
  await writeStamp(stamp, now);
  return purged;
}

async function readFound(path: string, oldestMs: number): Promise<FoundJournal | undefined> {
  const usedMs = await changeOf(path);
  if (usedMs === undefined) return undefined;
  const { start, hasEnded } = await readJournalEnds(path);
  const { session, host } = start ?? {};
  // Of another machine, or another container, there is only the time to go by.
  const isHere = host !== undefined && host.name === hostname();
  const isRunning = !hasEnded && (isHere ? isAlive(host.pid) : start !== undefined && usedMs >= oldestMs);
  return { id: basename(path, JOURNAL), session, usedMs, isRunning, hasEnded };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
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
