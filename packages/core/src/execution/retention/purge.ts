import { rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { changeOf, DAY_MS, namesIn, removeLeftover, removePath } from '../../history/old-files.ts';
import type { ExecutionStorage } from '../../history/storages/storage.ts';
import { readSession } from '../../sessions/records/session-file.ts';
import type { Session } from '../../sessions/session.ts';
import { dataFolder, isSessionId } from '../../stores/data-folder/data-folder.ts';
import { purgeImported } from '../../stores/data-folder/imported-files.ts';

export interface PurgeOptions {
  readonly dataDir: string;
  readonly executions: Pick<ExecutionStorage, 'purge'>;
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
interface Purge extends Pick<PurgeOptions, 'onRemove' | 'signal'> {
  readonly now: number;
  /** Older sessions and journals are deleted. Milliseconds since the epoch. */
  readonly oldestMs: number;
  readonly deleted: { -readonly [Count in keyof PurgeResult]: number };
}

/** File whose time is that of the last purge. */
const STAMP = 'swept';

/**
 * Deletes expired sessions and journals, and files of killed processes in a data folder, at most once a day. Keeps everything that an
 * execution of a live process uses, customers' files and skills. A failed deletion is repeated at the next purge. Raises
 * `STORE_UNAVAILABLE` when the executions are in a database that does not answer.
 */
export async function purgeExpired(options: PurgeOptions): Promise<PurgeResult> {
  const { dataDir, executions, retentionDays, onRemove, signal, now = Date.now() } = options;
  const folders = dataFolder(dataDir);
  const stamp = join(dataDir, STAMP);
  const deleted = { sessions: 0, journals: 0, leftovers: 0 };
  const last = await changeOf(stamp);
  if (last !== undefined && now - last < DAY_MS) return deleted;
  const oldestMs = retentionDays === 0 ? Number.NEGATIVE_INFINITY : now - retentionDays * DAY_MS;
  const purge: Purge = { now, oldestMs, deleted, signal, onRemove };
  const { usedSessions, journals, leftovers } = await executions.purge({ oldestMs, now, signal });
  deleted.journals += journals;
  deleted.leftovers += leftovers;
  await purgeImported(dataDir, oldestMs);
  await purgeSessions(folders.sessions, usedSessions, purge);
  if (retentionDays !== 0) deleted.sessions += (await options.purgeShared?.(retentionDays * DAY_MS, usedSessions)) ?? 0;
  if (!signal.aborted) await writeStamp(stamp, now);
  return deleted;
}

async function purgeSessions(folder: string, usedSessions: ReadonlySet<string>, purge: Purge): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (purge.signal.aborted) return;
    const path = join(folder, name);
    if (!isSessionId(name)) {
      if (await removeLeftover(path, purge.now, purge.signal)) purge.deleted.leftovers++;
    } else if (!usedSessions.has(name)) await purgeSession(path, name, purge);
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
  if (isRenamed && (await removePath(expired, purge.signal))) purge.deleted.sessions++;
}

async function writeStamp(path: string, now: number): Promise<void> {
  const time = new Date(now);
  await writeFile(path, '', { mode: 0o600 }).then(
    () => utimes(path, time, time),
    () => undefined,
  );
}
