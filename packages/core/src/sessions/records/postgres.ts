import type { Row } from '../../stores/database.ts';
import type { Postgres } from '../../stores/postgres/connection.ts';
import { parseJson } from '../../telemetry/health/damaged-files.ts';
import type { SessionEntry } from '../log.ts';
import type { Session } from '../session.ts';
import type { SessionRecords } from './records.ts';

/** Newest entries of a log that are kept, and the bytes of one read. */
const MAX_ENTRIES = 1_000;
const MAX_READ_BYTES = 8 * 1024 * 1024;
const PAGE_SESSIONS = 500;

const NOW = `date_trunc('milliseconds', clock_timestamp())`;
const COLUMNS = 'id, user_name, customer, created_at, last_used_at';
const FIND = `select ${COLUMNS} from toolwright.sessions where id = $1`;
const CREATE = `insert into toolwright.sessions (${COLUMNS}) select $1, $2, $3, t.now, t.now from (select ${NOW} as now) t
  on conflict do nothing returning ${COLUMNS}`;
const LIST = `select ${COLUMNS} from toolwright.sessions s where user_name = $1 and ($2::text is null or
    (s.last_used_at, s.id) < (select b.last_used_at, b.id from toolwright.sessions b where b.id = $2 and b.user_name = $1))
  order by last_used_at desc, id desc limit $3`;
const IS_NEW = 'not exists (select from toolwright.session_log where session = $1) as is_new';
const TOUCH = `update toolwright.sessions set last_used_at = greatest(last_used_at, ${NOW}) where id = $1 returning ${IS_NEW}`;
// A statement does not see its own row: the newest of the others stay, and the new one.
const APPEND = `with own as (
    update toolwright.sessions set last_used_at = greatest(last_used_at, ${NOW}) where id = $1 returning id
  ), old as (
    delete from toolwright.session_log where session = $1 and number <=
      (select number from toolwright.session_log where session = $1 order by number desc offset ${MAX_ENTRIES - 1} limit 1)
  )
  insert into toolwright.session_log (session, entry) select id, $2 from own`;
const ENTRIES = `select entry from (
    select number, entry, sum(octet_length(entry)) over (order by number desc) as bytes
    from toolwright.session_log where session = $1 order by number desc limit ${MAX_ENTRIES}
  ) newest where bytes <= ${MAX_READ_BYTES} order by number`;
const UNUSED = `select ${COLUMNS}, last_used_at::text as used from toolwright.sessions
  where last_used_at < clock_timestamp() - $1 * interval '1 millisecond'
    and ($2::timestamptz is null or (last_used_at, id) > ($2::timestamptz, $3::text))
  order by last_used_at, id limit ${PAGE_SESSIONS}`;

/** Keeps sessions as rows of a database, by the clock of the database. The caller closes the database. */
export function postgresRecords({ read, write }: Postgres): SessionRecords {
  return {
    find: async (id) => (await read(FIND, [id])).map(sessionOf)[0],
    async create({ id, userId, customer }) {
      const rows = await write(CREATE, [id, nameText(userId), customer === undefined ? null : nameText(customer)]);
      return rows.map(sessionOf)[0];
    },
    list: async (userId, { limit, before } = {}) =>
      (await read(LIST, [nameText(userId), before ?? null, limit ?? null])).map(sessionOf),
    async touch(id) {
      const [row] = await write(TOUCH, [id]);
      return { isNew: row?.is_new !== false };
    },
    isNew: async (id) => (await read(`select ${IS_NEW}`, [id]))[0]?.is_new === true,
    async append(id, entry) {
      await write(APPEND, [id, JSON.stringify(entry)]);
    },
    entries: async (id) => (await read(ENTRIES, [id])).map(({ entry }) => parseJson(String(entry)) as SessionEntry),
    async remove(id) {
      await write('delete from toolwright.sessions where id = $1', [id]);
      return 0;
    },
    async *unused(ageMs) {
      let last: Row | undefined;
      for (;;) {
        const rows: readonly Row[] = await read(UNUSED, [
          ageMs,
          last === undefined ? null : String(last.used),
          last === undefined ? null : String(last.id),
        ]);
        if (rows.length > 0) yield rows.map(sessionOf);
        last = rows.at(-1);
        if (rows.length < PAGE_SESSIONS) return;
      }
    },
  };
}

/** JSON escapes the characters that a text of PostgreSQL cannot have. */
function nameText(name: string): string {
  return JSON.stringify(name);
}

function sessionOf({ id, user_name, customer, created_at, last_used_at }: Row): Session {
  return {
    id: String(id),
    userId: JSON.parse(String(user_name)),
    customer: customer === null ? undefined : JSON.parse(String(customer)),
    createdAt: timeText(created_at),
    lastUsedAt: timeText(last_used_at),
  };
}

function timeText(time: unknown): string {
  return time instanceof Date ? time.toISOString() : String(time);
}
