import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolderError } from '../stores/data-folder/data-folder.ts';

/** How an execution ended. */
export type EndStatus = 'completed' | 'failed' | 'stopped' | 'cancelled';

/** The status of an execution in the history: of its end, or of a suspended one. */
export type HistoryStatus = EndStatus | 'suspended';

/** Returns the status of an end: a stopped execution whose caller cancelled it is `cancelled`. */
export function endStatus(status: string, limit: string | undefined): EndStatus {
  return status === 'stopped' && limit === 'cancelled' ? 'cancelled' : (status as EndStatus);
}

/** One execution in the history of its user. */
export interface HistoryEntry {
  /** Start and id. Sorts by time, and never changes. */
  readonly key: string;
  readonly id: string;
  readonly startedMs: number;
  readonly session?: string;
  /** Absent for an execution that runs or was interrupted. */
  readonly status?: HistoryStatus;
}

const MS_DIGITS = 13;
const NAME = /^(\d{13})\.([\da-f-]{36})\.([A-Za-z0-9_-]*)\.(completed|failed|stopped|cancelled|suspended)?$/;

/** Returns the name of the file of an execution. */
export function historyFile({ startedMs, id, session = '', status }: Omit<HistoryEntry, 'key'>): string {
  return `${String(startedMs).padStart(MS_DIGITS, '0')}.${id}.${session}.${status ?? ''}`;
}

/**
 * Adds an execution to the history of its user: one empty file, whose name alone sorts and filters. So a list reads one folder,
 * and no journal but those of its page. Returns the function that sets the status. Raises `CONFIG_INVALID` when the folder cannot
 * be written to.
 */
export function addToHistory(
  folder: string,
  { id, session = '' }: { readonly id: string; readonly session?: string | undefined },
): (status: HistoryStatus) => void {
  const path = join(folder, historyFile({ startedMs: Date.now(), id, session }));
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    throw dataFolderError(folder, cause);
  }
  return (status) => rename(path, path + status);
}

/** Finds an execution that is continued in the history of its user, and removes its status. Returns the function that sets it. */
export function continueInHistory(folder: string, id: string): (status: HistoryStatus) => void {
  const name = readdirSync(folder).find((found) => parseEntry(found)[0]?.id === id);
  if (name === undefined) return () => undefined;
  const path = join(folder, name.slice(0, name.lastIndexOf('.') + 1));
  rename(join(folder, name), path);
  return (status) => rename(path, path + status);
}

/** Removes an execution from the history of its user. */
export async function removeFromHistory(folder: string, id: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (parseEntry(name)[0]?.id === id) await unlink(join(folder, name)).catch(() => undefined);
  }
}

/** The journal has the status too: it is read for an entry without one. */
function rename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch {
    return;
  }
}

/** Returns the history of a user, newest first. */
export async function readHistory(folder: string): Promise<HistoryEntry[]> {
  const names = await readdir(folder).catch(() => []);
  return names.sort().reverse().flatMap(parseEntry);
}

/** Returns the entry of a file name; none for other names. */
export function parseEntry(name: string): HistoryEntry[] {
  const [, time = '', id = '', session, status] = NAME.exec(name) ?? [];
  if (id === '') return [];
  return [
    {
      key: `${time}.${id}`,
      id,
      startedMs: Number(time),
      session: session || undefined,
      status: status ? (status as HistoryStatus) : undefined,
    },
  ];
}

/** Removes the executions without a journal from all histories. `histories` is the folder of the histories of all users. */
export async function purgeHistories(
  histories: string,
  { hasJournal, olderThanMs, signal }: PurgeHistoriesOptions,
): Promise<void> {
  for (const user of await readdir(histories).catch(() => [])) {
    const folder = join(histories, user);
    for (const name of await readdir(folder).catch(() => [])) {
      if (signal.aborted) return;
      const [entry] = parseEntry(name);
      if (!entry || entry.startedMs > olderThanMs || hasJournal(entry.id)) continue;
      await unlink(join(folder, name)).catch(() => undefined);
    }
  }
}

interface PurgeHistoriesOptions {
  readonly hasJournal: (id: string) => boolean;
  /** Younger executions stay: their journal may not be there yet. Milliseconds since the epoch. */
  readonly olderThanMs: number;
  readonly signal: AbortSignal;
}
