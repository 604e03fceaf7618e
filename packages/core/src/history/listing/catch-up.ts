import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type HistoryEntry, type HistoryStatus, parseEntry } from '../../journal/history.ts';
import type { JournalReader } from '../../journal/storages/storage.ts';
import { dataFolder } from '../../stores/data-folder/data-folder.ts';
import type { LocalIndex } from './execution-index.ts';
import { readRow } from './read-row.ts';
import type { IndexedRow } from './row.ts';

export interface CatchUpOptions {
  readonly dataDir: string;
  readonly journals: JournalReader;
  readonly index: LocalIndex;
  readonly signal: AbortSignal;
}

/** Journals that are read at once, and rows of one transaction. Other work runs in between. */
const ROWS_AT_ONCE = 32;
const KNOWN_AT_ONCE = 2_000;
/** To find out whether a journal exists. */
const NOTHING = { firstBytes: 0, lastBytes: 0 };

/**
 * Writes the rows that an index lacks, or has with another status than the history of their user, newest first. Removes the rows without
 * a journal. So an index that is new, damaged or behind becomes complete.
 */
export async function catchUp({ dataDir, journals, index, signal }: CatchUpOptions): Promise<void> {
  const history = await readHistories(dataFolder(dataDir).histories);
  const known = await readKnown(index, signal);
  const stale = [...history.values()].filter(({ id, status }) => !known.has(id) || known.get(id) !== status);
  stale.sort((a, b) => (a.key < b.key ? 1 : -1));
  for (let at = 0; at < stale.length && !signal.aborted; at += ROWS_AT_ONCE) {
    const rows = await readRows(
      journals,
      stale.slice(at, at + ROWS_AT_ONCE).map(({ id }) => id),
    );
    if (rows.length > 0 && !signal.aborted) index.write(rows);
    await nextTurn();
  }
  const gone: string[] = [];
  for (const id of known.keys()) if (!history.has(id) && !(await journals.ends(id, NOTHING))) gone.push(id);
  for (let at = 0; at < gone.length && !signal.aborted; at += KNOWN_AT_ONCE) {
    index.remove(gone.slice(at, at + KNOWN_AT_ONCE));
    await nextTurn();
  }
}

/** Reads rows from journals. Leaves out those that are gone or cannot be read. */
export async function readRows(journals: JournalReader, ids: readonly string[]): Promise<IndexedRow[]> {
  const rows = await Promise.all(ids.map((id) => readRow(journals, id).catch(() => undefined)));
  return rows.filter((row) => row !== undefined);
}

async function readHistories(histories: string): Promise<Map<string, HistoryEntry>> {
  const entries = new Map<string, HistoryEntry>();
  for (const user of await readdir(histories).catch(() => [])) {
    for (const name of await readdir(join(histories, user)).catch(() => [])) {
      for (const entry of parseEntry(name)) entries.set(entry.id, entry);
    }
  }
  return entries;
}

async function readKnown(index: LocalIndex, signal: AbortSignal) {
  const known = new Map<string, HistoryStatus | undefined>();
  for (let after = ''; !signal.aborted; await nextTurn()) {
    const page = index.known(after, KNOWN_AT_ONCE);
    for (const { id, status } of page) known.set(id, status);
    if (page.length < KNOWN_AT_ONCE) break;
    after = page.at(-1)?.id ?? '';
  }
  return known;
}
