import { randomUUID } from 'node:crypto';
import type { Postgres } from '../../stores/postgres/connection.ts';
import { isExecutionId } from '../file.ts';
import { LEASE_TTL_MS } from '../leases/process-lease.ts';
import { createRows } from './postgres-rows.ts';
import { type JournalStorage, LAST_LINES, type OwnJournal, PAGE_IDS, PAGE_LINES } from './storage.ts';

export interface PostgresJournalsOptions {
  /** The database. The caller closes it. */
  readonly database: Postgres;
  /** Milliseconds without a renewal after which others may acquire the executions of this owner. Default: 10,000. */
  readonly ttlMs?: number;
  /** Milliseconds that a commit waits for a database that does not answer. Default: 10,000. */
  readonly retryMs?: number;
}

const ACQUIRE = 'select fence::text, day::text, last::text from toolwright.acquire_journal($1, $2, $3)';
const RENEW = `update toolwright.executions set expires_at = clock_timestamp() + $2 * interval '1 millisecond' where owner = $1`;
const RELEASE = `update toolwright.executions set owner = null, expires_at = null where id = $1 and fence = $2`;
// The day as a value of its own lets PostgreSQL read one partition.
const READ = `select number::text as position, line from toolwright.journal_lines
  where day = (select day from toolwright.executions where id = $1) and execution = $1 and number > $2
  order by number limit ${PAGE_LINES}`;
// A line counts with its line break, and with all lines after it.
const ENDS = `with journal as (select id, day from toolwright.executions where id = $1),
  latest as (
    select number, line, added_at from toolwright.journal_lines
    where day = (select day from journal) and execution = $1 order by number desc limit ${LAST_LINES}
  ),
  counted as (select number, line, sum(octet_length(line) + 1) over (order by number desc) as bytes from latest)
  select (select left(line, $2::int) from toolwright.journal_lines
      where day = (select day from journal) and execution = $1 and number = 1) as first,
    array(select line from counted where bytes <= $3::bigint order by number) as last,
    coalesce((select (extract(epoch from max(added_at)) * 1000)::float8 from latest), 0) as changed_ms
  from journal`;
const LIST = `select id::text as name from toolwright.executions where $1::uuid is null or id > $1 order by id limit ${PAGE_IDS}`;

/**
 * Opens the journals of a database, which any number of machines share. Each owner of an execution has a higher fencing number than
 * the one before, and each commit carries it. Leases use the clock of the database.
 */
export function postgresJournals(options: PostgresJournalsOptions): JournalStorage {
  const { database, ttlMs = LEASE_TTL_MS, retryMs = LEASE_TTL_MS } = options;
  const owner = randomUUID();
  const open = new Set<OwnJournal>();
  return {
    name: 'postgres',
    async acquire(id) {
      if (!isExecutionId(id)) return undefined;
      const [lease] = await database.write(ACQUIRE, [id, owner, ttlMs]);
      if (!lease) return undefined;
      const fence = String(lease.fence);
      const rows = createRows({ database, id, fence, day: String(lease.day), last: Number(lease.last), retryMs });
      const journal: OwnJournal = {
        ...rows,
        async release() {
          open.delete(journal);
          rows.close();
          await rows.flushed();
          await database.write(RELEASE, [id, fence]);
        },
      };
      open.add(journal);
      return journal;
    },
    async renew() {
      if (open.size > 0) await database.write(RENEW, [owner, ttlMs]);
    },
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
      return { first: String(row.first ?? ''), last, changedMs: Number(row.changed_ms) };
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
      await database.transaction(async (query) => {
        // The lock on the lease ends the commits of an owner: no line is added after the removal.
        const [row] = await query('delete from toolwright.executions where id = $1 returning day::text', [id]);
        if (!row) return;
        await query('delete from toolwright.journal_lines where day = $1 and execution = $2', [String(row.day), id]);
      });
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([...open].map((journal) => journal.release()));
    },
  };
}
