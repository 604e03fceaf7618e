import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning } from '../../journal/liveness.ts';
import type { JournalReader } from '../../journal/storages/storage.ts';
import { dataFolder } from '../../stores/data-folder/data-folder.ts';
import { catchUp } from './catch-up.ts';
import type { ExecutionIndex } from './execution-index.ts';
import type { StoredRow } from './row.ts';
import { sqliteIndex } from './sqlite.ts';

const INDEX_FILE = 'executions.db';
/** Milliseconds between two searches for rows that a crashed process left out. */
const CATCH_UP_MS = 5 * 60_000;

/** Milliseconds between two looks for executions of other processes. */
const LOOK_MS = 2_000;
/** The least time between two searches after such executions, in milliseconds, and as a multiple of the last search. */
const MIN_SEARCH_MS = 1_000;
const SEARCH_SHARE = 20;

/** With more users, a look would cost more than it is worth: only the search of {@link CATCH_UP_MS} finds such executions. */
const MAX_USERS = 1_000;

/** Opens the index of a data folder, which is a file. Raises `STORE_UNAVAILABLE` where SQLite is not installed. */
export function fileIndex(dataDir: string, journals: JournalReader): ExecutionIndex {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const index = sqliteIndex(join(dataDir, INDEX_FILE));
  // Only the leases in the folder show which executions run.
  const withState = (row: StoredRow): StoredRow =>
    row.status === undefined ? { ...row, isRunning: isRunning(dataDir, row) } : row;
  const { histories } = dataFolder(dataDir);
  let seen = '';
  let [lastMs, nextMs, lookedMs] = [0, 0, Number.NEGATIVE_INFINITY];
  let isBehind = false;
  const listeners = new Set<() => void>();
  const search = async (signal: AbortSignal) => {
    const state = stateOf(histories);
    const start = performance.now();
    await catchUp({ dataDir, journals, index, signal });
    const isNew = state !== seen;
    lastMs = performance.now() - start;
    nextMs = start + lastMs * (SEARCH_SHARE + 1);
    seen = state;
    isBehind = false;
    // A query may have found the executions before a look does.
    if (isNew) for (const tell of listeners) tell();
  };
  return {
    ...index,
    get catchUpMs() {
      if (performance.now() - lookedMs >= MIN_SEARCH_MS) {
        isBehind = stateOf(histories) !== seen;
        lookedMs = performance.now();
      }
      return isBehind ? Math.max(MIN_SEARCH_MS, SEARCH_SHARE * lastMs) : CATCH_UP_MS;
    },
    page: (filter, limit) => index.page(filter, limit).map(withState),
    changedAfter: (change, limit) => index.changedAfter(change, limit).map(withState),
    catchUp: search,
    onForeignChange(listener) {
      const ending = new AbortController();
      let isSearching = false;
      const look = async () => {
        if (isSearching || performance.now() < nextMs || stateOf(histories) === seen) return;
        isSearching = true;
        await search(ending.signal).finally(() => {
          isSearching = false;
        });
      };
      listeners.add(listener);
      // A failed search is tried again, and the next query reports it.
      const looking = setInterval(() => void look().catch(() => undefined), LOOK_MS).unref();
      return () => {
        clearInterval(looking);
        listeners.delete(listener);
        ending.abort();
      };
    },
  };
}

/** Returns the times of the last changes in the histories of all users: executions of any process change them. */
function stateOf(histories: string): string {
  try {
    const folders = readdirSync(histories).sort();
    if (folders.length > MAX_USERS) return '';
    return folders.map((name) => `${name} ${statSync(join(histories, name)).mtimeMs}`).join('\n');
  } catch {
    // It does not exist yet, or a user was removed meanwhile.
    return 'unknown';
  }
}
