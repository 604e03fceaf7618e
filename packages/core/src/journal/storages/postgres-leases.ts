import {
  databaseClock,
  leasedRows,
  monotonicMs,
  openRowLeases,
  type Postgres,
  prepared,
  type Row,
  type RowLease,
  type RowLeases,
} from '@toolwright/storage/internal';
import { createRows, type JournalRows, repeated } from './postgres-rows.ts';
import {
  isTaken,
  type JournalLease,
  type JournalSink,
  type LeaseEvents,
  type NewExecution,
  type Settlement,
} from './storage.ts';

/** The journal of an execution that this owner has, in a database. */
export interface OwnRows extends JournalSink, JournalLease {
  /** Returns whether this owner has the execution, as far as it knows. */
  isHeld(): boolean;
  /** Forgets an execution that could not be started: nothing is added any more. */
  discard(): void;
  /** Gives the execution up, after the lines before are safe. Another process can acquire it at once. */
  release(): Promise<void>;
}

/** The leases of one owner. */
export interface PostgresLeases extends AsyncDisposable {
  /** The id of this owner. */
  readonly owner: string;
  /** Takes an execution that is suspended or was interrupted. Returns undefined while an owner has it, and for an ended one. */
  acquire(id: string): Promise<OwnRows | undefined>;
  /** Starts an execution. Its first `flushed` creates it, with the lines before. It rejects with `CONFIG_INVALID` if the id is taken. */
  start(row: NewExecution): OwnRows;
  /** Gives up all executions, after the lines before are safe. Later ones are not added. Never rejects. */
  handOver(): Promise<void>;
}

export interface PostgresLeasesOptions extends Partial<LeaseEvents> {
  readonly database: Postgres;
  /** Milliseconds without a renewal after which others may acquire the executions of this owner. Default: 5,000. */
  readonly ttlMs?: number | undefined;
  /** Milliseconds that a commit waits for a database that does not answer. Default: 30,000. */
  readonly retryMs?: number | undefined;
  /** Milliseconds between two renewals. Default: none, and an old lease is renewed before its use. */
  readonly everyMs?: number | undefined;
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

/** An execution that this owner has. */
interface Open {
  readonly id: string;
  readonly rows: JournalRows;
  /** The fencing number, and the day of the partition. Undefined until the execution exists. */
  held: { readonly fence: string; readonly day: string } | undefined;
  lease: RowLease | undefined;
  /** Whether a commit that releases the lease is under way. */
  isSettling: boolean;
}

/**
 * Creates the leases of one owner. Each owner of an execution has a higher fencing number than the one before, and each commit carries it. All
 * times are those of the database.
 */
export function postgresLeases(options: PostgresLeasesOptions): PostgresLeases {
  const { database, ttlMs = TTL_MS, retryMs = RETRY_MS, everyMs, onLost } = options;
  const leases = openRowLeases(leasedRows(database, LEASED, { ttlMs, everyMs }));
  const { owner } = leases;
  const clock = databaseClock(database.url);
  const { open, isOpen, forget, hold } = heldExecutions(leases, clock, options);
  const start = async (own: Open, { id, userId, session, isDryRun }: NewExecution, lines: readonly string[]) => {
    const sinceMs = monotonicMs();
    const [found] = await database.write(START, [id, owner, ttlMs, userId, session ?? null, isDryRun, lines]);
    if (!found) throw isTaken(id);
    hold(own, found, sinceMs);
    return true;
  };
  /** Opens the rows of an execution that this owner has, or of a new one. */
  const openRows = (id: string, last: number, row?: NewExecution) => {
    const rows = createRows({
      ...{ last, retryMs },
      async commit(lines, after, settlements) {
        if (row && !own.held) return start(own, row, lines);
        const { fence = '', day = '' } = own.held ?? {};
        const { sql, values, isRelease } = commitOf(settlements, clock.now);
        own.isSettling = isRelease;
        const [found] = await database.write(sql, [id, fence, day, String(after), lines, ...values]);
        const isHeld = found?.held === true;
        if (isRelease && isHeld) forget(own);
        return isHeld;
      },
      onLost: () => forget(own) && onLost?.(id),
    });
    const own: Open = { id, rows, held: undefined, lease: undefined, isSettling: false };
    const journal: OwnRows = {
      ...rows,
      isHeld: () => !rows.isLost(),
      // Half of the time allows for a slow effect after this step.
      isOld: () => (own.lease?.ageMs() ?? 0) > ttlMs / 2,
      async confirm() {
        if (journal.isOld() && isOpen(own)) await repeated(retryMs, leases.renew);
        if (rows.isLost()) await rows.flushed();
      },
      discard: () => void (forget(own) && rows.lose()),
      async release() {
        rows.close();
        await rows.flushed();
        if (forget(own) && own.held) await database.write(RELEASE, [id, own.held.fence]);
      },
    };
    open.set(id, { own, journal });
    return { own, journal };
  };
  return {
    owner,
    async acquire(id) {
      const sinceMs = monotonicMs();
      const [found] = open.has(id) ? [] : await database.write(CONTINUE, [id, owner, ttlMs]);
      if (!found) return undefined;
      const { own, journal } = openRows(id, Number(found.last));
      hold(own, found, sinceMs);
      return journal;
    },
    start(row) {
      if (open.has(row.id)) throw isTaken(row.id);
      return openRows(row.id, 0, row).journal;
    },
    async handOver() {
      await Promise.allSettled([...open.values()].map(async ({ journal }) => journal.flushed()));
      for (const { own } of [...open.values()]) own.rows.lose();
      // Without an answer of the database, the leases expire.
      await database.write(HAND_OVER, [owner]).catch(() => undefined);
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([...open.values()].map(({ journal }) => journal.release()));
      await leases.close();
    },
  };
}

/** Returns the executions that an owner has, and the steps that add and remove their leases. */
function heldExecutions(
  leases: RowLeases,
  clock: ReturnType<typeof databaseClock>,
  { onCancel }: Partial<LeaseEvents>,
) {
  const open = new Map<string, { readonly own: Open; readonly journal: OwnRows }>();
  const isOpen = (own: Open) => open.get(own.id)?.own === own;
  return {
    open,
    isOpen,
    /** Returns false for an execution that was given up before. */
    forget(own: Open) {
      own.lease?.end();
      return isOpen(own) && open.delete(own.id);
    },
    hold(own: Open, row: Row, sinceMs: number) {
      const [id, fence] = [own.id, String(row.fence)];
      own.held = { fence, day: String(row.day) };
      clock.add(Number(row.now_ms), monotonicMs() - sinceMs);
      // It was given up before the database answered.
      if (!isOpen(own)) return;
      own.lease = leases.add({
        ...{ id, fence, sinceMs },
        onLost: () => !own.isSettling && own.rows.lose(),
        onRenewed: (isCancelled) => isCancelled && onCancel?.(id),
      });
    },
  };
}

/** Returns the statement that commits lines with settlements, its last values, and whether it releases the lease. */
function commitOf(settlements: readonly Settlement[], now: () => number) {
  const applied = settlements.flatMap((each) => (each.applied ? [each.applied] : []));
  const decided = applied.length > 0 ? [applied.map(([call]) => call), applied.map(([, nth]) => nth)] : [null, null];
  const { status, wakeMs } = settlements.findLast((each) => each.status !== undefined) ?? {};
  if (status === undefined) return { sql: APPEND, values: decided, isRelease: false };
  const wakeInMs = wakeMs === undefined ? null : wakeMs - now();
  return { sql: SETTLE, values: [...decided, status, wakeInMs], isRelease: status !== null };
}
