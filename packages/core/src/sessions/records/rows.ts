import { parseJson } from '@toolwright/connectors/internal';
import type { Database, Query, Row } from '@toolwright/storage/internal';
import type { SessionEntry } from '../log.ts';
import type { Session } from '../session.ts';
import type { SessionRecord, SessionRecords } from './records.ts';

/** The folders of sessions on one machine. Each step runs in the transaction that changes the row. */
export interface SessionFolders {
  /** Creates the folder of a new session. Raises `CONFIG_INVALID` for one with files. */
  create(id: string): Promise<void>;
  /** Moves the folder of a removed session away. Returns the step that deletes it, and returns the bytes that are free then. */
  remove(id: string): Promise<() => Promise<number>>;
}

/** Newest entries of a log that are kept, and the characters of one read. */
const MAX_ENTRIES = 1_000;
const MAX_READ_CHARACTERS = 8 * 1024 * 1024;
const PAGE_SESSIONS = 500;
/** More than all sessions. */
const NO_LIMIT = 2 ** 31 - 1;

const NOW = `date_trunc('milliseconds', now())`;
const COLUMNS = 'id, user_name, customer, created_at, last_used_at';
const FIND = `select ${COLUMNS} from toolwright.sessions where id = $1`;
const CREATE = `insert into toolwright.sessions (${COLUMNS}) values ($1, $2, $3, ${NOW}, ${NOW})
  on conflict do nothing returning ${COLUMNS}`;
const COPY = `insert into toolwright.sessions (${COLUMNS})
  values ($1, $2, $3, to_timestamp($4::float8 / 1000), to_timestamp($5::float8 / 1000)) on conflict do nothing returning id`;
const LIST = `select ${COLUMNS} from toolwright.sessions where user_name = $1 and ($2::text is null or
    (last_used_at, id) < (select b.last_used_at, b.id from toolwright.sessions b where b.id = $2 and b.user_name = $1))
  order by last_used_at desc, id desc limit $3`;
const IS_NEW = 'not exists (select 1 from toolwright.session_log where session = $1) as is_new';
const TOUCH = `update toolwright.sessions set last_used_at = greatest(last_used_at, ${NOW}) where id = $1 returning id, ${IS_NEW}`;
const ADD_ENTRY = 'insert into toolwright.session_log (session, entry) values ($1, $2)';
const TRIM = `delete from toolwright.session_log where session = $1 and number <=
  (select number from toolwright.session_log where session = $1 order by number desc limit 1 offset ${MAX_ENTRIES})`;
const ENTRIES = `select entry from (
    select number, entry, sum(length(entry)) over (order by number desc) as characters
    from toolwright.session_log where session = $1 order by number desc limit ${MAX_ENTRIES}
  ) newest where characters <= ${MAX_READ_CHARACTERS} order by number`;
const UNUSED = `select ${COLUMNS}, last_used_at::text as used from toolwright.sessions
  where last_used_at < now() - $1 * interval '1 millisecond'
    and ($2::text is null or (last_used_at, id) > ($2::timestamptz, $3::text))
  order by last_used_at, id limit ${PAGE_SESSIONS}`;
const REMOVE = 'delete from toolwright.sessions where id = $1 returning id';

/** Keeps sessions as rows of a database, with their folders on one machine. The caller closes the database. */
export function sessionRows(database: Database, folders?: SessionFolders): SessionRecords {
  const { read, write, transaction } = database;
  return {
    find: async (id) => (await read(FIND, [id])).map(sessionOf)[0],
    create: (session) =>
      transaction(
        async (query) => {
          const [row] = await query(CREATE, namesOf(session));
          if (row) await folders?.create(session.id);
          return row && sessionOf(row);
        },
        { isFlushed: true },
      ),
    list: async (userId, { limit = NO_LIMIT, before } = {}) =>
      (await read(LIST, [nameText(userId), before ?? null, limit])).map(sessionOf),
    async touch(id) {
      const [row] = await write(TOUCH, [id]);
      return { isNew: Boolean(row?.is_new ?? true) };
    },
    isNew: async (id) => Boolean((await read(`select ${IS_NEW}`, [id]))[0]?.is_new),
    append: (id, entry) =>
      transaction(async (query) => {
        if ((await query(TOUCH, [id])).length > 0) await addEntries(query, id, [entry]);
      }),
    entries: async (id) => (await read(ENTRIES, [id])).map(({ entry }) => parseJson(String(entry)) as SessionEntry),
    async remove(id) {
      const deleteFolder = await transaction(async (query) => {
        await query(REMOVE, [id]);
        return folders?.remove(id);
      });
      return (await deleteFolder?.()) ?? 0;
    },
    async *unused(ageMs) {
      let last: readonly [null, null] | readonly [string | number, string] = [null, null];
      for (;;) {
        const rows: readonly Row[] = await read(UNUSED, [ageMs, ...last]);
        if (rows.length > 0) yield rows.map(sessionOf);
        const end = rows.at(-1);
        if (rows.length < PAGE_SESSIONS || !end) return;
        last = [end.used as string | number, String(end.id)];
      }
    },
  };
}

/** Adds a session with its times and its log. Returns false if the database has it. */
export function copySession(
  { transaction }: Database,
  session: Session,
  entries: readonly SessionEntry[],
): Promise<boolean> {
  const times = [session.createdAt, session.lastUsedAt].map((time) => Date.parse(time));
  return transaction(async (query) => {
    const added = await query(COPY, [...namesOf(session), ...times]);
    if (added.length > 0) await addEntries(query, session.id, entries);
    return added.length > 0;
  });
}

async function addEntries(query: Query, id: string, entries: readonly SessionEntry[]): Promise<void> {
  for (const entry of entries) await query(ADD_ENTRY, [id, JSON.stringify(entry)]);
  await query(TRIM, [id]);
}

function namesOf({ id, userId, customer }: Omit<SessionRecord, 'createdAt'>) {
  return [id, nameText(userId), customer === undefined ? null : nameText(customer)] as const;
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
    createdAt: new Date(created_at as Date | number).toISOString(),
    lastUsedAt: new Date(last_used_at as Date | number).toISOString(),
  };
}
