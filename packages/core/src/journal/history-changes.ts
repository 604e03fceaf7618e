import { mkdirSync, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolderError } from '../stores/data-folder/data-folder.ts';
import { type HistoryEntry, parseEntry } from './history.ts';

/** An execution that started, or that has another status than before. */
export interface HistoryChange extends HistoryEntry {
  /** When its file changed, in microseconds since the epoch. Later changes have larger numbers. */
  readonly changedUs: number;
}

export interface HistoryChangesOptions {
  /**
   * `changedUs` of the last known change, which may come again: the clock of the file system may give two changes one time. Default:
   * none, and the changes begin with the executions that have not ended.
   */
  readonly after?: number | undefined;
  /** Ends the changes. */
  readonly signal: AbortSignal;
}

/** The most executions whose last status is known, so that it is not reported twice. */
const MAX_KNOWN = 1_000;

/**
 * Yields the changes of the history of a user, by any process of the data folder, until the signal aborts. Raises `CONFIG_INVALID`
 * when the folder cannot be watched.
 */
export async function* historyChanges(
  folder: string,
  { after, signal }: HistoryChangesOptions,
): AsyncGenerator<HistoryChange, void> {
  const known = new Map<string, HistoryEntry['status']>();
  const names: string[] = [];
  let wake = () => {};
  const watcher = startWatching(folder, (name) => {
    names.push(name);
    wake();
  });
  const stop = () => wake();
  signal.addEventListener('abort', stop);
  const isNew = ({ id, status }: HistoryChange) => {
    if (known.has(id) && known.get(id) === status) return false;
    known.delete(id);
    known.set(id, status);
    const [oldest] = known.size > MAX_KNOWN ? known.keys() : [];
    if (oldest !== undefined) known.delete(oldest);
    return true;
  };
  try {
    for (const change of await firstChanges(folder, after)) if (isNew(change)) yield change;
    while (!signal.aborted) {
      const name = names.shift();
      if (name === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const change = await changeOf(folder, name);
      if (change && isNew(change)) yield change;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    watcher.close();
  }
}

function startWatching(folder: string, onName: (name: string) => void) {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const watcher = watch(folder, { persistent: false }, (_event, name) => onName(name ?? ''));
    // Without further events, a client connects again and reads the changes that it missed.
    watcher.on('error', () => undefined);
    return watcher;
  } catch (cause) {
    throw dataFolderError(folder, cause);
  }
}

/** Returns the changes since a time, or the executions that have not ended; oldest change first. */
async function firstChanges(folder: string, after: number | undefined): Promise<HistoryChange[]> {
  const names = await readdir(folder).catch(() => []);
  const changes: HistoryChange[] = [];
  for (const name of names) {
    const [entry] = parseEntry(name);
    const isOpen = entry?.status === undefined || entry.status === 'suspended';
    if (!entry || (after === undefined && !isOpen)) continue;
    const change = await changeOf(folder, name);
    if (change && (after === undefined || change.changedUs >= after)) changes.push(change);
  }
  return changes.sort((a, b) => a.changedUs - b.changedUs);
}

/** Returns a change; undefined for a name that is gone, or of no execution. */
async function changeOf(folder: string, name: string): Promise<HistoryChange | undefined> {
  const [entry] = parseEntry(name);
  const found = entry && (await stat(join(folder, name)).catch(() => undefined));
  return found && { ...entry, changedUs: Math.round(found.ctimeMs * 1_000) };
}
