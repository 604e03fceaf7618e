import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolder, isSessionId, purgeImported } from '@toolwright/storage/internal';
import { changeOf, DAY_MS, namesIn, removeLeftover, removePath } from '../../history/old-files.ts';
import type { ExecutionStorage } from '../../history/storages/storage.ts';
import type { SessionStore } from '../../sessions/session.ts';
import type { Logger } from '../../telemetry/log.ts';

interface PurgedState {
  readonly dataDir: string;
  readonly executions: ExecutionStorage;
  readonly sessions: SessionStore;
}

interface RetentionOptions extends PurgedState {
  /** Days after their last use at which sessions and journals are deleted; undefined deletes nothing at all. */
  readonly retentionDays: number | undefined;
  readonly logger: Logger;
}

/** Milliseconds between two looks whether a day has passed since the last deletion. */
const LOOK_MS = 60 * 60 * 1_000;

interface PurgeOptions extends PurgedState {
  /**
   * Days after their last use at which sessions and journals are deleted; 0 keeps them. Files of killed processes are deleted
   * after a day in any case.
   */
  readonly retentionDays: number;
  /** Ends the purge before its next deletion. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. Default: now. */
  readonly now?: number;
}

/** Number of deletions. */
interface PurgeResult {
  readonly sessions: number;
  readonly journals: number;
  /** Files of executions whose process was killed, and sessions whose creation or removal was interrupted. */
  readonly leftovers: number;
}

/** The state of one purge. */
interface Purge {
  readonly sessions: SessionStore;
  readonly signal: AbortSignal;
  readonly now: number;
  /** Older sessions and journals are deleted. Milliseconds since the epoch. */
  readonly oldestMs: number;
}

/** File whose time is that of the last purge. */
const STAMP = 'swept';

/** Starts the deletion of expired data in the background, now and each day. Returns a function that ends it. */
export function startRetention({ retentionDays, logger, ...options }: RetentionOptions): () => void {
  const ending = new AbortController();
  if (retentionDays === undefined) return () => undefined;
  const purge = () =>
    void purgeExpired({ ...options, retentionDays, signal: ending.signal }).then(
      (purged) => logger.debug(purged, 'expired data purged'),
      (error: unknown) => logger.warn({ err: error }, 'expired data could not be purged'),
    );
  purge();
  const timer = setInterval(purge, LOOK_MS).unref();
  return () => {
    clearInterval(timer);
    ending.abort();
  };
}

/**
 * Deletes expired sessions and journals, and files of killed processes in a data folder, at most once a day. Keeps everything that an
 * execution of a live process uses, customers' files and skills. A failed deletion is repeated at the next purge. Raises
 * `STORE_UNAVAILABLE` when the executions are in a database that does not answer.
 */
export async function purgeExpired(options: PurgeOptions): Promise<PurgeResult> {
  const { dataDir, executions, sessions, retentionDays, signal, now = Date.now() } = options;
  const stamp = join(dataDir, STAMP);
  const last = await changeOf(stamp);
  const isDone = last !== undefined && now - last < DAY_MS;
  if (isDone || (await changeOf(dataDir)) === undefined) return { sessions: 0, journals: 0, leftovers: 0 };
  const oldestMs = retentionDays === 0 ? Number.NEGATIVE_INFINITY : now - retentionDays * DAY_MS;
  const { usedSessions: kept, journals, leftovers } = await executions.purge({ oldestMs, now, signal });
  await purgeImported(dataDir, oldestMs);
  const removed = retentionDays === 0 ? 0 : await sessions.purge(retentionDays * DAY_MS, { kept, signal });
  const folders = await purgeFolders(dataFolder(dataDir).sessions, { sessions, now, oldestMs, signal });
  if (!signal.aborted) await writeStamp(stamp, now);
  return { sessions: removed, journals, leftovers: leftovers + folders };
}

/** Removes the rest of interrupted creations and removals, and old folders of sessions without a record. */
async function purgeFolders(folder: string, { sessions, now, oldestMs, signal }: Purge): Promise<number> {
  let removed = 0;
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    const isRemoved = isSessionId(name)
      ? ((await changeOf(path)) ?? now) < oldestMs && !(await sessions.has(name)) && (await removePath(path, signal))
      : await removeLeftover(path, now, signal);
    if (isRemoved) removed++;
  }
  return removed;
}

async function writeStamp(path: string, now: number): Promise<void> {
  const time = new Date(now);
  await writeFile(path, '', { mode: 0o600 }).then(
    () => utimes(path, time, time),
    () => undefined,
  );
}
