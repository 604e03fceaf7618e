import type { Query } from '@toolwright/storage/internal';
import { isExecutionId } from '../file.ts';
import { type JournalReader, LAST_LINES, PAGE_LINES } from './storage.ts';

// The subquery gives one day, so PostgreSQL reads one partition.
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

/** Reads the journals of a database. */
export function postgresReader(database: { readonly read: Query }): JournalReader {
  return {
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
  };
}
