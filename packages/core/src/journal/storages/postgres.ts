import { isExecutionId } from '../file.ts';
import { NOW_MS, type PostgresLeases, type PostgresLeasesOptions, postgresLeases } from './postgres-leases.ts';
import { type JournalStorage, LAST_LINES, PAGE_IDS, PAGE_LINES } from './storage.ts';

export interface PostgresJournalsOptions extends Omit<PostgresLeasesOptions, 'ttlMs' | 'retryMs'> {
  /** Milliseconds without a renewal after which others may acquire the executions of this owner. Default: 5,000. */
  readonly ttlMs?: number;
  /** Milliseconds that a commit waits for a database that does not answer. Default: 30,000. */
  readonly retryMs?: number;
}

/** The journals of a database. */
export interface PostgresJournals extends JournalStorage {
  /** The executions of this owner. */
  readonly leases: PostgresLeases;
}

const TTL_MS = 5_000;
const RETRY_MS = 30_000;

const ACQUIRE = `select fence::text, day::text, last::text, ${NOW_MS} as now_ms from toolwright.acquire_journal($1, $2, $3)`;
// The day as a value of its own lets PostgreSQL read one partition.
const READ = `select number::text as position, line from toolwright.journal_lines
  where day = (select day from toolwright.executions where id = $1) and execution = $1 and number > $2
  order by number limit ${PAGE_LINES}`;
// A line counts with its line break, and with all lines after it.
const ENDS = `with journal as (
    select id, day, owner is not null and expires_at > clock_timestamp() as owned from toolwright.executions where id = $1
  ),
  latest as (
    select number, line, added_at from toolwright.journal_lines
    where day = (select day from journal) and execution = $1 order by number desc limit ${LAST_LINES}
  ),
  counted as (select number, line, sum(octet_length(line) + 1) over (order by number desc) as bytes from latest)
  select (select left(line, $2::int) from toolwright.journal_lines
      where day = (select day from journal) and execution = $1 and number = 1) as first,
    array(select line from counted where bytes <= $3::bigint order by number) as last,
    coalesce((select (extract(epoch from max(added_at)) * 1000)::float8 from latest), 0) as changed_ms, owned
  from journal`;
const REMOVE = 'select toolwright.remove_execution($1)';
const LIST = `select id::text as name from toolwright.executions where $1::uuid is null or id > $1 order by id limit ${PAGE_IDS}`;

/**
 * Opens the journals of a database, which any number of machines share. Each owner of an execution has a higher fencing number than
 * the one before, and each commit carries it. Leases use the clock of the database.
 */
export function postgresJournals(options: PostgresJournalsOptions): PostgresJournals {
  const { database, ttlMs = TTL_MS, retryMs = RETRY_MS } = options;
  const leases = postgresLeases({ ...options, ttlMs, retryMs });
  return {
    name: 'postgres',
    leases,
    acquire: async (id) => (isExecutionId(id) ? leases.acquire(ACQUIRE, id) : undefined),
    renew: leases.renew,
    async *read(id, after = 0) {
      if (!isExecutionId(id)) return;
      let last = String(after);
      for (;;) {
        const page = await database.read(READ, [id, last]);
        if (page.length > 0) yield page.map(({ line }) => String(line));
        if (page.length < PAGE_LINES) return;
        last = String(page.at(-1)?.position);
      }
    },
    async ends(id, { firstBytes, lastBytes }) {
      if (!isExecutionId(id)) return undefined;
      const [row] = await database.read(ENDS, [id, firstBytes, lastBytes]);
      if (!row) return undefined;
      const last = (row.last as readonly string[]).map(String);
      return { first: String(row.first ?? ''), last, changedMs: Number(row.changed_ms), isOwned: row.owned === true };
    },
    async *list() {
      let last: string | null = null;
      for (;;) {
        const page: string[] = (await database.read(LIST, [last])).map(({ name }) => String(name));
        if (page.length > 0) yield page;
        if (page.length < PAGE_IDS) return;
        last = page.at(-1) ?? null;
      }
    },
    async remove(id) {
      if (!isExecutionId(id)) return;
      await database.write(REMOVE, [id]);
    },
    [Symbol.asyncDispose]: () => leases[Symbol.asyncDispose](),
  };
}
