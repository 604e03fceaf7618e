import { setTimeout as sleep } from 'node:timers/promises';
import { ownershipLost } from '@toolwright/storage/internal';
import { ToolwrightError } from '../../errors.ts';
import type { JournalSink, Settlement } from './storage.ts';

export interface RowsOptions {
  /** The number of lines in the journal. */
  readonly last: number;
  /**
   * Commits lines after the line with this number, with their settlements. Returns false if another owner has the lease. It is repeated after a
   * lost answer.
   */
  readonly commit: (lines: readonly string[], after: number, settlements: readonly Settlement[]) => Promise<boolean>;
  /** Milliseconds that a commit waits for a database that does not answer. */
  readonly retryMs: number;
  /** Called once, when another owner has the lease. */
  readonly onLost?: (() => void) | undefined;
}

/** The rows of one journal. */
export interface JournalRows extends JournalSink {
  flushed(): Promise<void>;
  /** Returns whether another owner has the lease: nothing can be added any more. */
  isLost(): boolean;
  /** Raises `OWNERSHIP_LOST` when another owner has the lease. */
  check(): void;
  /** Notes that another owner has the lease. */
  lose(): void;
}

/** Milliseconds that lines wait for further ones, so that an answer and the next call are one commit. */
const GATHER_MS = 20;
/** Bytes of one commit, and of all lines that wait for a database that does not answer. */
const MAX_COMMIT_BYTES = 4 * 1024 * 1024;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const RETRY_MS = { first: 50, most: 1_000 };

/** Writes the lines of one journal as rows. Lines are committed together, at the next `flushed` or a moment later. */
export function createRows({ last, commit, retryMs, onLost }: RowsOptions): JournalRows {
  let committed = last;
  let waiting: string[] = [];
  let waitingBytes = 0;
  /** The settlements of lines that wait, each with the number of its line. */
  let settlements: (readonly [line: number, settlement: Settlement])[] = [];
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failure: unknown;
  let isLost = false;

  const check = () => {
    if (isLost) throw lost();
  };
  const lose = () => {
    if (isLost) return;
    isLost = true;
    onLost?.();
  };
  const commitAll = async () => {
    while (waiting.length > 0) {
      const batch = firstOf(waiting);
      const end = committed + batch.length;
      const settled = settlements.filter(([line]) => line <= end).map(([, settlement]) => settlement);
      if (!(await repeated(retryMs, () => commit(batch, committed, settled)))) lose();
      check();
      committed = end;
      settlements = settlements.filter(([line]) => line > end);
      waiting = waiting.slice(batch.length);
      waitingBytes -= bytesOf(batch);
    }
  };
  const run = async () => {
    try {
      await commitAll();
      failure = undefined;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      // In the same step as the last look at `waiting`: a later line starts another run.
      running = undefined;
    }
  };
  const flushed = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (isLost) return Promise.reject(lost());
    if (waiting.length > 0) running ??= run();
    return running ?? Promise.resolve();
  };
  /** The next `flushed` reports a failure: the lines still wait. */
  const flushLater = () => void flushed().catch(() => undefined);
  return {
    append(lines, settlement) {
      check();
      if (waitingBytes > MAX_WAITING_BYTES) throw failure ?? tooMany();
      const added = lines.toString().split('\n').slice(0, -1);
      waiting.push(...added);
      if (settlement) settlements.push([committed + waiting.length, settlement]);
      waitingBytes += bytesOf(added);
      timer ??= setTimeout(flushLater, GATHER_MS).unref();
    },
    flushed,
    close: flushLater,
    isLost: () => isLost,
    check,
    lose,
  };
}

/** Returns as many lines as fit into one commit, and at least one. */
function firstOf(lines: readonly string[]): string[] {
  let bytes = 0;
  const end = lines.findIndex((line, index) => {
    bytes += line.length;
    return index > 0 && bytes > MAX_COMMIT_BYTES;
  });
  return lines.slice(0, end === -1 ? lines.length : end);
}

function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, { length }) => sum + length, 0);
}

/** Repeats a step while the database does not answer, for some milliseconds. */
export async function repeated<T>(retryMs: number, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + retryMs;
  for (let waitMs = RETRY_MS.first; ; waitMs = Math.min(waitMs * 2, RETRY_MS.most)) {
    try {
      return await work();
    } catch (error) {
      const isDown = error instanceof ToolwrightError && error.code === 'STORE_UNAVAILABLE';
      if (!isDown || performance.now() + waitMs > deadline) throw error;
      await sleep(waitMs);
    }
  }
}

function lost(): ToolwrightError {
  return ownershipLost('of the execution in time');
}

function tooMany(): ToolwrightError {
  const message = `More than ${MAX_WAITING_BYTES} bytes of a journal wait for the database. Check that PostgreSQL answers, then run the program again.`;
  return new ToolwrightError('STORE_UNAVAILABLE', message);
}
