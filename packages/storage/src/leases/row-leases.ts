import { randomUUID } from 'node:crypto';
import { monotonicMs } from '../clocks/machine-clock.ts';
import { type Database, prepared } from '../database.ts';
import { parsePostgresUrl } from '../postgres/address.ts';
import { type RenewalReport, type RenewedRow, renewedRow } from './renewal-orders.ts';
import { type KeptRenewal, keepRenewing } from './renewal-thread.ts';

/** A lease to keep. */
export interface NewRowLease {
  readonly id: string;
  readonly fence: string;
  /** `monotonicMs()` when the statement began that took the lease. */
  readonly sinceMs: number;
  /** Called when another owner may have the row. The lease stays if it returns false: its owner is about to give it up. */
  readonly onLost?: (() => unknown) | undefined;
  /** Called after each renewal. */
  readonly onRenewed?: ((isWanted: boolean) => void) | undefined;
}

/** The lease of this process on one row. */
export interface RowLease {
  readonly id: string;
  readonly fence: string;
  /** Milliseconds since the last renewal began. A lease that is younger than its time to live is nobody else's. */
  ageMs(): number;
  /** Returns whether nobody else can have the row, by the clock of this process. */
  isHeld(): boolean;
  /** Ends the lease here, without a change of the storage. */
  end(): void;
}

/** How long leases hold. */
export interface LeaseTimes {
  readonly ttlMs: number;
  /** Milliseconds between two renewals. Default: none, and `renew` is called. */
  readonly everyMs?: number | undefined;
}

export interface RowLeasesOptions extends LeaseTimes {
  /** The owner in the rows. Default: a new UUID. */
  readonly owner?: string;
  /** Renews rows. Returns those that the owner still has. `isSafe` waits for the disk. */
  readonly renew: (owner: string, ids: readonly string[], isSafe: boolean) => Promise<readonly RenewedRow[]>;
  /** Renews rows in another thread too. Default: this thread does it. */
  readonly keep?: (owner: string, onReport: (report: RenewalReport) => void) => KeptRenewal;
}

/** The leases of one owner on rows. One statement renews all of them. */
export interface RowLeases {
  readonly owner: string;
  add(lease: NewRowLease): RowLease;
  /** Renews all leases now. Waits for the disk. */
  renew(): Promise<void>;
  /** Ends the renewals. Resolves when no thread uses the database any more. */
  close(): Promise<void>;
}

interface Held extends NewRowLease {
  readonly lease: RowLease;
  renewedMs: number;
}

/** Beats without a report of the thread after which this one renews the leases. */
const MAX_MISSED = 3;

/** Creates the leases of one owner. */
export function openRowLeases({ owner = randomUUID(), ttlMs, everyMs, renew, keep }: RowLeasesOptions): RowLeases {
  const leases = new Map<string, Held>();
  let kept: KeptRenewal | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let isRenewing = false;
  let reportedMs = monotonicMs();

  const report = ({ atMs, ids, rows }: RenewalReport) => {
    reportedMs = Math.max(reportedMs, atMs);
    const renewed = new Map(rows.map((row) => [row.id, row]));
    for (const id of ids) {
      const held = leases.get(id);
      // A lease that was taken later is not part of the answer.
      if (!held || held.sinceMs >= atMs) continue;
      const row = renewed.get(id);
      if (row?.fence === held.fence) {
        held.renewedMs = Math.max(held.renewedMs, atMs);
        held.onRenewed?.(row.isWanted);
      } else if (held.onLost?.() !== false) held.lease.end();
    }
  };
  const renewHere = async (isSafe: boolean) => {
    const ids = [...leases.keys()];
    if (ids.length === 0) return;
    const atMs = monotonicMs();
    report({ atMs, ids, rows: await renew(owner, ids, isSafe) });
  };
  const beat = async () => {
    const isThreadSilent = everyMs !== undefined && monotonicMs() - reportedMs > MAX_MISSED * everyMs;
    if (isRenewing || (kept && !isThreadSilent)) return;
    isRenewing = true;
    // The next beat tries again.
    await renewHere(false).catch(() => undefined);
    isRenewing = false;
  };
  const changed = () => {
    if (everyMs === undefined || isClosed) return;
    // Without leases, the thread reports nothing.
    if (leases.size <= 1) reportedMs = monotonicMs();
    if (!timer) {
      timer = setInterval(() => void beat(), everyMs).unref();
      kept = keep?.(owner, report);
    }
    kept?.setIds([...leases.keys()]);
  };
  return {
    owner,
    add(added) {
      const { id, fence, sinceMs } = added;
      const lease: RowLease = {
        id,
        fence,
        ageMs() {
          // The thread may have renewed it while this one was busy.
          const nowMs = monotonicMs();
          if (nowMs - held.renewedMs >= ttlMs / 2) kept?.catchUp();
          return nowMs - held.renewedMs;
        },
        isHeld: () => lease.ageMs() < ttlMs && leases.get(id) === held,
        end() {
          if (leases.get(id) !== held) return;
          leases.delete(id);
          changed();
        },
      };
      const held: Held = { ...added, lease, renewedMs: sinceMs };
      leases.set(id, held);
      changed();
      return lease;
    },
    renew: shared(() => renewHere(true)),
    async close() {
      isClosed = true;
      clearInterval(timer);
      await kept?.stop();
    },
  };
}

/** Returns a function whose calls at once share one run. While a file is locked, each would wait for itself. */
function shared(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

const COMMIT_MODE = `with commit as materialized (
    select set_config('synchronous_commit', case when $4::boolean then current_setting('synchronous_commit') else 'off' end, true) as mode
  )`;

/** The rows of a table that have an owner, and when its lease expires. */
export interface LeasedTable {
  readonly name: string;
  /** The column of the owner. */
  readonly owner: string;
  /** SQL: whether another process asks for something. */
  readonly wanted: string;
  /** Further changes of each renewal. */
  readonly changes?: string;
  /** Further conditions. */
  readonly where?: string;
}

/** Returns the options of leases on the rows of a table. All times are those of the database. */
export function leasedRows(database: Database, table: LeasedTable, times: LeaseTimes): RowLeasesOptions {
  return leasedBy(database, renewalOf(database, table), times);
}

/** Returns the options of leases that a statement renews. Its values are those of a `RowRenewal`, its rows those of `renewedRow`. */
export function leasedBy(database: Database, sql: string, { ttlMs, everyMs }: LeaseTimes): RowLeasesOptions {
  const statement = prepared(sql);
  const url = database.engine === 'postgres' ? parsePostgresUrl(database.url).url : database.url;
  return {
    ttlMs,
    everyMs,
    renew: async (owner, ids, isSafe) => (await database.write(statement, [owner, ttlMs, ids, isSafe])).map(renewedRow),
    keep: (owner, onReport) => keepRenewing({ url, sql, owner, ttlMs, everyMs: everyMs ?? ttlMs }, onReport),
  };
}

/** A renewal by the clock does not wait for the disk: after a crash of the database, leases may end a second earlier. */
function renewalOf({ engine }: Database, { name, owner, wanted, changes = '', where = '' }: LeasedTable): string {
  const [commit, isCommit] =
    engine === 'postgres' ? [COMMIT_MODE, 'from commit where commit.mode is not null and'] : ['', 'where'];
  return `${commit} update toolwright.${name} as held set expires_at = clock_timestamp() + $2 * interval '1 millisecond' ${changes}
    ${isCommit} ${owner} = $1 and id = any($3::uuid[]) ${where}
    returning id::text, fence::text, ${wanted} as wanted`;
}
