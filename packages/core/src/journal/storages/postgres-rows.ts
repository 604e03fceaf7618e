import { setTimeout as sleep } from 'node:timers/promises';
import { ToolwrightError } from '../../errors.ts';
import type { Postgres } from '../../stores/postgres/connection.ts';
import { ownershipLost } from '../leases/process-lease.ts';
import type { JournalSink } from './storage.ts';

export interface RowsOptions {
  readonly database: Postgres;
  readonly id: string;
  /** The fencing number of this owner. */
  readonly fence: string;
  /** The day of the execution, which names its partition. */
  readonly day: string;
  /** The number of lines in the journal. */
  readonly last: number;
  /** Milliseconds that a commit waits for a database that does not answer. */
  readonly retryMs: number;
}

/** Milliseconds that lines wait for further ones, so that an answer and the next call are one commit. */
const GATHER_MS = 20;
/** Bytes of one commit, and of all lines that wait for a database that does not answer. */
const MAX_COMMIT_BYTES = 4 * 1024 * 1024;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const RETRY_MS = { first: 50, most: 1_000 };

// The lock keeps another owner from acquiring the execution before the end of this commit. A commit whose answer was lost is repeated:
// its lines are there already. No row means that another owner has the lease.
const COMMIT = `with held as (select id from toolwright.executions where id = $1 and fence = $2 for share),
  added as (
    insert into toolwright.journal_lines (day, execution, number, line)
    select $3::date, held.id, $4::bigint + n.position, n.line from held, unnest($5::text[]) with ordinality as n (line, position)
    on conflict do nothing
  )
  select id from held`;

/** Writes the lines of one journal as rows. Lines are committed together, at the next `flushed` or a moment later. */
export function createRows({ database, id, fence, day, ...options }: RowsOptions): JournalSink {
  return createBatches({
    ...options,
    commit: async (before, lines) => (await database.write(COMMIT, [id, fence, day, String(before), lines])).length > 0,
  });
}

/** How a sink commits its lines. */
export interface BatchesOptions extends Pick<RowsOptions, 'last' | 'retryMs'> {
  /** Commits lines after the first `before` ones, once although it is repeated. Resolves to false if the lease is lost. */
  readonly commit: (before: number, lines: readonly string[]) => Promise<boolean>;
}

/** Commits lines together, at the next `flushed` or a moment later. */
export function createBatches({ commit, last, retryMs }: BatchesOptions): JournalSink {
  let committed = last;
  let waiting: string[] = [];
  let waitingBytes = 0;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failure: unknown;
  let isLost = false;

  const commitAll = async () => {
    while (waiting.length > 0) {
      const batch = firstOf(waiting);
      const before = committed;
      isLost = !(await repeated(retryMs, () => commit(before, batch)));
      if (isLost) throw ownershipLost();
      committed += batch.length;
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
    if (isLost) return Promise.reject(ownershipLost());
    if (waiting.length > 0) running ??= run();
    return running ?? Promise.resolve();
  };
  /** The next `flushed` reports a failure: the lines still wait. */
  const flushLater = () => void flushed().catch(() => undefined);
  return {
    append(lines) {
      if (isLost) throw ownershipLost();
      if (waitingBytes > MAX_WAITING_BYTES) throw failure ?? tooMany();
      const added = lines.toString().split('\n').slice(0, -1);
      waiting.push(...added);
      waitingBytes += bytesOf(added);
      timer ??= setTimeout(flushLater, GATHER_MS).unref();
    },
    flushed,
    close: flushLater,
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

/** Repeats a step while the database does not answer. */
async function repeated<T>(retryMs: number, work: () => Promise<T>): Promise<T> {
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

function tooMany(): ToolwrightError {
  const message = `More than ${MAX_WAITING_BYTES} bytes of a journal wait for the database. Check that PostgreSQL answers, then run the program again.`;
  return new ToolwrightError('STORE_UNAVAILABLE', message);
}
