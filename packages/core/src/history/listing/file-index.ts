import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ToolwrightError } from '../../errors.ts';
import { isRunning } from '../../journal/liveness.ts';
import type { JournalReader } from '../../journal/storages/storage.ts';
import { catchUp } from './catch-up.ts';
import type { ExecutionIndex, LocalIndex } from './execution-index.ts';
import { memoryIndex } from './memory.ts';
import type { StoredRow } from './row.ts';
import { sqliteIndex } from './sqlite.ts';

const INDEX_FILE = 'executions.db';
/** Milliseconds between two searches for rows that a crashed process left out. */
const CATCH_UP_MS = 5 * 60_000;

/** Opens the index of a data folder: in a file, and in memory where SQLite is not installed. */
export function fileIndex(dataDir: string, journals: JournalReader): ExecutionIndex {
  const index = openIndex(dataDir);
  // Only the leases in the folder show which executions run.
  const withState = (row: StoredRow): StoredRow =>
    row.status === undefined ? { ...row, isRunning: isRunning(dataDir, row) } : row;
  return {
    ...index,
    catchUpMs: CATCH_UP_MS,
    page: (filter, limit) => index.page(filter, limit).map(withState),
    changedAfter: (change, limit) => index.changedAfter(change, limit).map(withState),
    catchUp: (signal) => catchUp({ dataDir, journals, index, signal }),
    onForeignChange: () => () => undefined,
  };
}

function openIndex(dataDir: string): LocalIndex {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    return sqliteIndex(join(dataDir, INDEX_FILE));
  } catch (error) {
    if (error instanceof ToolwrightError && error.code === 'STORE_UNAVAILABLE') return memoryIndex();
    throw error;
  }
}
