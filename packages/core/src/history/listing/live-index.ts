import { setTimeout as sleep } from 'node:timers/promises';
import { ToolwrightError } from '../../errors.ts';
import type { Logger } from '../../telemetry/log.ts';
import type { ExecutionIndex } from './execution-index.ts';

export interface LiveIndexOptions {
  /** Opens the index. */
  readonly open: () => ExecutionIndex;
  /** Whether other machines read it: then each change is written, also when this process does not read the index. */
  readonly isShared: boolean;
  readonly logger: Logger;
  /** Called after rows were written. */
  readonly onWrite: () => void;
}

/** An index that follows the executions of this process. One of this machine is opened when it is first used, and costs nothing before. */
export interface LiveIndex {
  /** Returns the index, with the rows of this process as they are now. Waits a moment for rows that it lacks. */
  use(): Promise<{ readonly index: ExecutionIndex; readonly isIndexing: boolean }>;
  /** Writes the row of an execution soon. */
  changed(id: string): void;
  close(): Promise<void>;
}

/** Milliseconds for which changes are collected. */
const COLLECT_MS = 30;
const MAX_COLLECTED = 10_000;
/** Milliseconds after a failed write. */
const RETRY_MS = 1_000;
/** Rows of one transaction: about 10 ms. */
const ROWS_AT_ONCE = 100;
/** Milliseconds that a query waits for an index that is being built. */
const BUILD_WAIT_MS = 2_000;

/** Creates the index of a storage. */
export function createLiveIndex({ open, isShared, logger, onWrite }: LiveIndexOptions): LiveIndex {
  const ending = new AbortController();
  const waiting = new Set<string>();
  let index: ExecutionIndex | undefined;
  let timer: NodeJS.Timeout | undefined;
  let searches: NodeJS.Timeout | undefined;
  /** The last write. They run one after the other. */
  let writing = Promise.resolve();

  const writeAll = async () => {
    const opened = index;
    while (opened && waiting.size > 0) {
      await writeSome(opened, waiting);
      onWrite();
    }
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(writeAll).catch((err: unknown) => {
      logger.warn({ err }, 'the index of executions could not be written; it is tried again');
      collect(RETRY_MS);
    });
    return writing;
  };
  const collect = (waitMs = COLLECT_MS) => {
    if (!ending.signal.aborted) timer ??= setTimeout(flush, waitMs).unref();
  };
  const catchUp = createCatchUp(logger, ending.signal);
  const openOnce = () => {
    const opened = open();
    // Followers of other processes wait for the rows too.
    if (isShared) searches = setInterval(() => void catchUp.start(opened), opened.catchUpMs).unref();
    return opened;
  };

  return {
    async use() {
      if (ending.signal.aborted) throw new ToolwrightError('CLOSED', 'This Toolwright is closed.');
      index ??= openOnce();
      const catching = catchUp.start(index);
      if (catching) await Promise.race([catching, sleep(BUILD_WAIT_MS, undefined, { ref: false })]);
      await flush();
      return { index, isIndexing: catchUp.isRunning() };
    },
    changed(id) {
      if (ending.signal.aborted || waiting.size >= MAX_COLLECTED) return;
      index ??= isShared ? openOnce() : undefined;
      if (index === undefined) return;
      waiting.add(id);
      collect();
    },
    async close() {
      ending.abort();
      clearInterval(searches);
      await catchUp.ended();
      await flush();
      index = undefined;
    },
  };
}

/** Lets an index catch up, from time to time. */
function createCatchUp(logger: Logger, signal: AbortSignal) {
  let running: Promise<void> | undefined;
  let endedMs = Number.NEGATIVE_INFINITY;
  return {
    isRunning: () => running !== undefined,
    ended: () => running,
    /** Starts it if the last one is long ago. Returns the running one. */
    start(index: ExecutionIndex): Promise<void> | undefined {
      if (running || performance.now() - endedMs < index.catchUpMs) return running;
      running = index
        .catchUp(signal)
        .catch((err: unknown) => logger.warn({ err }, 'the index of executions is incomplete'))
        .finally(() => {
          endedMs = performance.now();
          running = undefined;
        });
      return running;
    },
  };
}

/** Writes the rows of some of the waiting executions. */
async function writeSome(index: ExecutionIndex, waiting: Set<string>): Promise<void> {
  const ids = [...waiting].slice(0, ROWS_AT_ONCE);
  for (const id of ids) waiting.delete(id);
  try {
    await index.refresh(ids);
  } catch (err) {
    for (const id of ids) waiting.add(id);
    throw err;
  }
}
