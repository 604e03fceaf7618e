import type { HistoryEntry, HistoryStatus } from '../../journal/history.ts';
import type { HistoryChange } from '../../journal/history-changes.ts';
import type { Row } from '../../stores/database.ts';
import type { Postgres } from '../../stores/postgres/connection.ts';
import { escapedText } from '../../stores/postgres/escaped-text.ts';
import { rowKey } from '../listing/row.ts';
import type { ChangeWatch } from '../listing/watch-changes.ts';
import type { ExecutionHistory } from './storage.ts';

const PAGE = 100;
const KEY = /^(\d{13})\.([\da-f-]{36})$/;

const COLUMNS = 'e.id::text as name, e.started_ms::text as started_ms, e.session, e.status';
const LIST = `select ${COLUMNS} from toolwright.executions e
  where e.user_id = $1 and ($2::bigint is null or (e.started_ms, e.id) < ($2, $3::uuid))
    and ($4::text is null or e.session = $4) and ($5::text is null or e.status is null or e.status = $5)
  order by e.started_ms desc, e.id desc limit ${PAGE}`;
const LAST = 'select coalesce(max(status_change), 0)::text as last from toolwright.execution_rows';
const ROWS = `select ${COLUMNS}, r.status_change::text as change from toolwright.execution_rows r
  join toolwright.executions e on e.id = r.id where r.user_id = $1`;
const OPEN = `${ROWS} and r.status in ('open', 'suspended') and r.status_change <= $2 order by r.status_change`;
const CHANGES = `${ROWS} and r.status_change > $2 order by r.status_change limit ${PAGE}`;

/** Opens the histories of a database. */
export function postgresHistory({
  database,
  changes,
}: {
  readonly database: Postgres;
  readonly changes: ChangeWatch;
}): ExecutionHistory {
  return {
    async *list(userId, { before, sessionId, status } = {}) {
      const [, ms, id] = before === undefined ? [] : (KEY.exec(before) ?? []);
      // No entry has such a key.
      if (before !== undefined && ms === undefined) return;
      let last: readonly [string, string] | readonly [null, null] = ms && id ? [ms, id] : [null, null];
      const session = sessionId === undefined ? null : escapedText(sessionId);
      for (;;) {
        const page = await database.read(LIST, [escapedText(userId), ...last, session, status ?? null]);
        for (const row of page) yield entryOf(row);
        const end = page.at(-1);
        if (page.length < PAGE || !end) return;
        last = [String(end.started_ms), String(end.name)];
      }
    },
    async *changes(userId, { after, signal }) {
      const user = escapedText(userId);
      const waiter = changes.waiter(userId, signal);
      try {
        let position = after === undefined ? String((await database.read(LAST))[0]?.last) : String(after);
        if (after === undefined) for (const row of await database.read(OPEN, [user, position])) yield changeOf(row);
        while (!signal.aborted) {
          const seen = waiter.count();
          const page = await database.read(CHANGES, [user, position]).catch(() => []);
          for (const row of page) yield changeOf(row);
          position = String(page.at(-1)?.change ?? position);
          if (page.length < PAGE) await waiter.next(seen);
        }
      } finally {
        waiter.close();
      }
    },
  };
}

function entryOf({ name, started_ms, session, status }: Row): HistoryEntry {
  const id = String(name);
  return {
    key: rowKey(Number(started_ms), id),
    id,
    startedMs: Number(started_ms),
    session: session === null ? undefined : String(session),
    status: status === null ? undefined : (status as HistoryStatus),
  };
}

function changeOf(row: Row): HistoryChange {
  return { ...entryOf(row), changedUs: Number(row.change) };
}
