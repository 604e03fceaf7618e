import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ToolwrightError } from '../../errors.ts';
import type { JournalReader } from '../../journal/storages/storage.ts';
import type { Logger } from '../../telemetry/log.ts';
import { catchUp, readRows } from './catch-up.ts';
import type { ExecutionIndex } from './execution-index.ts';
import { memoryIndex } from './memory.ts';
import { sqliteIndex } from './sqlite.ts';

export interface LiveIndexOptions {
  readonly dataDir: string;
  readonly journals: JournalReader;
  readonly logger: Pick<Logger, 'warn'>;
  /** Called after rows were written. */
  readonly onWrite: () => void;
}

/** An index that follows the executions of this process. It is opened when it is first used, and costs nothing before. */
export interface LiveIndex {
  readonly isOpen: boolean;
  /** Returns the index, with the rows of this process as they are now. Waits a moment for rows that it lacks. */
  use(): Promise<{ readonly index: ExecutionIndex; readonly isIndexing: boolean }>;
  /** Writes the row of an execution soon. */
  changed(id: string): void;
  removed(id: string): void;
  close(): Promise<void>;
}

/** Milliseconds for which changes are collected. */
const COLLECT_MS = 30;
const MAX_COLLECTED = 10_000;
/** Rows of one transaction: about 10 ms. */
const ROWS_AT_ONCE = 100;
/** Milliseconds that a query waits for an index that is being built. */
const BUILD_WAIT_MS = 2_000;
/** Milliseconds between two searches for rows that a crashed process left out. */
const CATCH_UP_MS = 5 * 60_000;

/** Creates the index of a data folder. */
export function createLiveIndex({ dataDir, journals, logger, onWrite }: LiveIndexOptions): LiveIndex {
  const ending = new AbortController();
  const waiting = new Set<string>();
  let index: ExecutionIndex | undefined;
  let timer: NodeJS.Timeout | undefined;
  let catching: Promise<void> | undefined;
  let isIndexing = false;
  let caughtUpMs = Number.NEGATIVE_INFINITY;
  /** The last write. They run one after the other. */
  let writing = Promise.resolve();

  const writeAll = async () => {
    const open = index;
    while (open && waiting.size > 0) {
      await writeSome(open, waiting, journals);
      onWrite();
    }
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(writeAll).catch((err: unknown) => {
      logger.warn({ err }, 'the index of executions could not be written; it is tried again');
      collect();
    });
    return writing;
  };
  const collect = () => {
    if (!ending.signal.aborted) timer ??= setTimeout(flush, COLLECT_MS).unref();
  };
  const startCatchUp = (open: ExecutionIndex) => {
    if (catching || performance.now() - caughtUpMs < CATCH_UP_MS) return;
    isIndexing = true;
    catching = catchUp({ dataDir, journals, index: open, signal: ending.signal })
      .catch((err: unknown) => logger.warn({ err }, 'the index of executions is incomplete'))
      .finally(() => {
        caughtUpMs = performance.now();
        isIndexing = false;
        catching = undefined;
      });
  };

  return {
    get isOpen() {
      return index !== undefined;
    },
    async use() {
      if (ending.signal.aborted) throw new ToolwrightError('CLOSED', 'This Toolwright is closed.');
      index ??= openIndex(dataDir);
      startCatchUp(index);
      if (catching) await Promise.race([catching, sleep(BUILD_WAIT_MS, undefined, { ref: false })]);
      await flush();
      return { index, isIndexing };
    },
    changed(id) {
      if (index === undefined || waiting.size >= MAX_COLLECTED) return;
      waiting.add(id);
      collect();
    },
    removed(id) {
      waiting.delete(id);
      index?.remove([id]);
    },
    async close() {
      ending.abort();
      await catching;
      await flush();
      index?.close();
      index = undefined;
    },
  };
}

/** Writes the rows of some of the waiting executions. */
async function writeSome(index: ExecutionIndex, waiting: Set<string>, journals: JournalReader): Promise<void> {
  const ids = [...waiting].slice(0, ROWS_AT_ONCE);
  for (const id of ids) waiting.delete(id);
  const rows = await readRows(journals, ids);
  try {
    if (rows.length > 0) index.write(rows);
  } catch (err) {
    for (const id of ids) waiting.add(id);
    throw err;
  }
}

/** Opens the index in the data folder; in memory where SQLite is not installed. */
function openIndex(dataDir: string): ExecutionIndex {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    return sqliteIndex(join(dataDir, INDEX_FILE));
  } catch (error) {
    if (error instanceof ToolwrightError && error.code === 'STORE_UNAVAILABLE') return memoryIndex();
    throw error;
  }
}

const INDEX_FILE = 'executions.db';
