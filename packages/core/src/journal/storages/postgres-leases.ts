import {
  databaseClock,
  leasedRows,
  monotonicMs,
  openRowLeases,
  type Postgres,
  prepared,
  type Row,
  type RowLease,
} from '@toolwright/storage/internal';
import { type EndStatus, endStatus } from '../history.ts';
import { questionNumber } from '../recording/recorded-entries.ts';
import { createRows, type JournalRows, repeated } from './postgres-rows.ts';
import { isTaken, type JournalSink } from './storage.ts';

/** An execution that does not exist yet. */
export interface NewRow {
  readonly id: string;
  readonly userId: string;
  readonly session?: string | undefined;
  readonly isDryRun: boolean;
}

/** The right of a process to the rows of an execution. */
interface RowOwnership {
  /**
   * Resolves when the lease is younger than its time to live: nobody else can have the execution. Renews an older one. Raises
   * `OWNERSHIP_LOST`, and `STORE_UNAVAILABLE` when the database does not answer.
   */
  confirm(): Promise<void>;
  /** Forgets an execution that could not be started: nothing is added any more. */
  discard(): void;
  /** Gives the execution up, after the lines before are safe. Another process can acquire it at once. */
  release(): Promise<void>;
}

/** The journal of an execution that this owner has, in a database. */
export interface OwnRows extends JournalSink, RowOwnership {
  /** Returns whether another owner has the execution now, as far as this one knows. */
  isLost(): boolean;
}

/** The leases of one owner. */
export interface PostgresLeases extends AsyncDisposable {
  /** The id of this owner. */
  readonly owner: string;
  /** Takes an execution that is suspended or was interrupted. Returns undefined while an owner has it, and for an ended one. */
  acquire(id: string): Promise<OwnRows | undefined>;
  /** Starts an execution. Its first `flushed` creates it, with the lines before. It rejects with `CONFIG_INVALID` if the id is taken. */
  start(row: NewRow): OwnRows;
  /** Gives up all executions, after the lines before are safe. Later ones are not added. Never rejects. */
  handOver(): Promise<void>;
}

export interface PostgresLeasesOptions {
  readonly database: Postgres;
  /** Milliseconds without a renewal after which others may acquire the executions of this owner. Default: 5,000. */
  readonly ttlMs?: number | undefined;
  /** Milliseconds that a commit waits for a database that does not answer. Default: 30,000. */
  readonly retryMs?: number | undefined;
  /** Milliseconds between two renewals. Default: none, and an old lease is renewed before its use. */
  readonly everyMs?: number | undefined;
  /** Called with each execution whose lease is lost. */
  readonly onLost?: ((id: string) => void) | undefined;
  /** Called with each execution that anyone has asked to cancel. */
  readonly onCancel?: ((id: string) => void) | undefined;
}

const TTL_MS = 5_000;
const RETRY_MS = 30_000;

/** The clock of the database, in milliseconds. */
const NOW_MS = '(extract(epoch from clock_timestamp()) * 1000)::float8';
// The start does not wait for the disk: nothing is sent before a later commit, which makes it safe too. A crash of the database that forgot
// it ends the execution here with OWNERSHIP_LOST, and its work begins again.
const START = prepared(`with commit as materialized (select set_config('synchronous_commit', 'off', true) as mode)
  select fence::text, day::text, ${NOW_MS} as now_ms from commit, toolwright.start_execution($1, $2, $3, $4, $5, $6, $7::text[]) where commit.mode = 'off'`);
const CONTINUE = `select fence::text, day::text, last::text, ${NOW_MS} as now_ms from toolwright.continue_execution($1, $2, $3)`;
const APPEND = prepared('select toolwright.append_lines($1, $2, $3, $4, $5::text[], $6::int[], $7::int[]) as held');
const SETTLE = prepared(
  'select toolwright.settle_execution($1, $2, $3, $4, $5::text[], $6::int[], $7::int[], $8, $9) as held',
);
const LEASED = {
  name: 'executions',
  owner: 'owner',
  // A request to cancel an execution whose former owner has died holds for a minute.
  wanted: `coalesce(cancel_at > clock_timestamp() - interval '1 minute', false)`,
};
const HAND_OVER = 'update toolwright.executions set owner = null, expires_at = null where owner = $1';
const RELEASE = `update toolwright.executions set owner = null, expires_at = null where id = $1 and fence = $2`;

/** The place of an execution in the tables, and its fencing number. */
interface Held {
  readonly fence: string;
  readonly day: string;
}

/** An execution that this owner has. */
interface Open {
  readonly journal: OwnRows;
  readonly rows: JournalRows;
  /** Undefined until the execution exists. */
  held: Held | undefined;
  lease: RowLease | undefined;
  /** Whether a commit that releases the lease is under way. */
  isSettling: boolean;
}

/**
 * Creates the leases of one owner. Each owner of an execution has a higher fencing number than the one before, and each commit carries it. All
 * times are those of the database.
 */
export function postgresLeases(options: PostgresLeasesOptions): PostgresLeases {
  const { database, ttlMs = TTL_MS, retryMs = RETRY_MS, everyMs, onLost, onCancel } = options;
  const leases = openRowLeases(leasedRows(database, LEASED, { ttlMs, everyMs }));
  const { owner } = leases;
  const clock = databaseClock(database.url);
  const open = new Map<string, Open>();
  const forget = (id: string, own: Open) => forgotten(open, id, own);
  const hold = (id: string, own: Open, row: Row, sinceMs: number) => {
    const held = heldOf(row);
    own.held = held;
    clock.add(Number(row.now_ms), monotonicMs() - sinceMs);
    // It was given up before the database answered.
    if (open.get(id) !== own) return;
    own.lease = leases.add({
      ...{ id, fence: held.fence, sinceMs },
      onLost: () => !own.isSettling && own.rows.lose(),
      onRenewed: (isCancelled) => isCancelled && onCancel?.(id),
    });
  };

  const start = async (row: NewRow, own: Open, lines: readonly string[]): Promise<boolean> => {
    const sinceMs = monotonicMs();
    hold(row.id, own, await insertedRow(database, row, [owner, ttlMs, lines]), sinceMs);
    return true;
  };
  /** Opens the rows of an execution that this owner has, or of a new one. */
  const openRows = (id: string, last: number, row?: NewRow): Open => {
    const rows = createRows({
      ...{ last, retryMs },
      commit: (lines, after) =>
        row && !own.held
          ? start(row, own, lines)
          : append(database, own, { id, lines, after, now: clock.now, settled: () => forget(id, own) }),
      onLost: () => forget(id, own) && onLost?.(id),
    });
    const journal = journalOf(rows, {
      async confirm() {
        // Half of the time allows for a slow effect after this step.
        const isOld = (own.lease?.ageMs() ?? 0) > ttlMs / 2;
        if (isOld && open.get(id) === own) await repeated(retryMs, leases.renew);
        if (rows.isLost()) await rows.flushed();
      },
      discard: () => void (forget(id, own) && rows.lose()),
      release: async () => {
        if (forget(id, own) && own.held) await database.write(RELEASE, [id, own.held.fence]);
      },
    });
    const own: Open = { journal, rows, held: undefined, lease: undefined, isSettling: false };
    open.set(id, own);
    return own;
  };
  return {
    owner,
    async acquire(id) {
      const sinceMs = monotonicMs();
      const [found] = open.has(id) ? [] : await database.write(CONTINUE, [id, owner, ttlMs]);
      if (!found) return undefined;
      const own = openRows(id, Number(found.last));
      hold(id, own, found, sinceMs);
      return own.journal;
    },
    start(row) {
      if (open.has(row.id)) throw isTaken(row.id);
      return openRows(row.id, 0, row).journal;
    },
    async handOver() {
      await Promise.allSettled([...open.values()].map(async ({ journal }) => journal.flushed()));
      for (const { rows } of [...open.values()]) rows.lose();
      // Without an answer of the database, the leases expire.
      await database.write(HAND_OVER, [owner]).catch(() => undefined);
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([...open.values()].map(({ journal }) => journal.release()));
      await leases.close();
    },
  };
}

function forgotten(open: Map<string, Open>, id: string, own: Open): boolean {
  own.lease?.end();
  return open.get(id) === own && open.delete(id);
}

async function insertedRow(
  database: PostgresLeasesOptions['database'],
  { id, userId, session, isDryRun }: NewRow,
  [owner, ttlMs, lines]: readonly [owner: string, ttlMs: number, lines: readonly string[]],
): Promise<Row> {
  const [found] = await database.write(START, [id, owner, ttlMs, userId, session ?? null, isDryRun, lines]);
  if (!found) throw isTaken(id);
  return found;
}

/** Returns the journal of rows. `release` gives up the lease after the last line. */
function journalOf(
  { append: add, flushed, close, isLost }: JournalRows,
  { confirm, discard, release }: RowOwnership,
): OwnRows {
  return {
    ...{ append: add, flushed, close, isLost, confirm, discard },
    async release() {
      close();
      await flushed();
      await release();
    },
  };
}

interface Appending {
  readonly id: string;
  readonly lines: readonly string[];
  readonly after: number;
  /** The clock of the database. */
  readonly now: () => number;
  /** Called when the lease is released with the lines. */
  readonly settled: () => void;
}

/** Commits lines of an execution. Returns false for a former owner. */
async function append(
  { write }: Postgres,
  own: Open,
  { id, lines, after, now, settled: onSettled }: Appending,
): Promise<boolean> {
  const { fence = '', day = '' } = own.held ?? {};
  const { applied, settled } = settlementOf(lines, now());
  const [calls, questions] = applied ? [applied.map(([call]) => call), applied.map(([, nth]) => nth)] : [null, null];
  const values = [id, fence, day, String(after), lines, calls, questions];
  own.isSettling = settled?.status !== undefined;
  const [row] = settled
    ? await write(SETTLE, [...values, settled.status ?? null, settled.wakeInMs ?? null])
    : await write(APPEND, values);
  if (own.isSettling && row?.held === true) onSettled();
  return row?.held === true;
}

function heldOf({ fence, day }: Row): Held {
  return { fence: String(fence), day: String(day) };
}

/** The changes of the tables that lines of a journal have besides themselves. */
export interface Settlement {
  /** The calls and the numbers of the questions whose decisions the lines apply. */
  readonly applied?: readonly (readonly [call: number, question: number])[];
  /** Present when the status changes: to none for an execution that goes on. */
  readonly settled?: {
    readonly status?: EndStatus | 'suspended';
    /** Milliseconds from now on. */
    readonly wakeInMs?: number;
  };
}

const KIND = /^\{"entry":"(decision|suspend|resume|end)"/;

/** Returns the changes that lines have. `now` is the time of the database, in milliseconds since the epoch. */
export function settlementOf(lines: readonly string[], now: number): Settlement {
  const applied: [number, number][] = [];
  let settled: Settlement['settled'];
  for (const line of lines) {
    const [, kind] = KIND.exec(line) ?? [];
    if (kind === undefined) continue;
    const { number, question, status, limit, wakeMs } = JSON.parse(line);
    if (kind === 'decision') applied.push([number, questionNumber({ question })]);
    else if (kind === 'resume') settled = {};
    else if (kind === 'suspend') settled = { status: 'suspended', wakeInMs: wakeMs - now };
    else settled = { status: endStatus(status, limit) };
  }
  return { applied: applied.length > 0 ? applied : undefined, settled };
}
