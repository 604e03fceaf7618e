import { type Database, escapedText, type Row } from '@toolwright/storage/internal';
import type { HistoryEntry, HistoryStatus } from '../../journal/history.ts';
import { rowKey } from '../listing/row.ts';
import type { HistoryFilter } from './storage.ts';

const PAGE = 100;
const KEY = /^(\d{13})\.([\da-f-]{36})$/;
/** The end of all keys. */
const LAST = [String(10 ** 13), 'ffffffff-ffff-ffff-ffff-ffffffffffff'] as const;

const LIST = `select id::text as name, started_ms::text as started_ms, session, status from toolwright.executions
  where user_id = $1 and (started_ms, id) < ($2::bigint, $3::uuid)
    and ($4::text is null or session = $4) and ($5::text is null or status is null or status = $5)
  order by started_ms desc, id desc limit ${PAGE}`;

/** Yields the executions of a user, newest first. */
export async function* listHistory(
  { read }: Database,
  userId: string,
  { before, sessionId, status }: HistoryFilter = {},
): AsyncGenerator<HistoryEntry, void> {
  const [, ms, id] = before === undefined ? [before, ...LAST] : (KEY.exec(before) ?? []);
  // No entry has such a key.
  if (ms === undefined || id === undefined) return;
  let last = [Number(ms), id];
  const session = sessionId === undefined ? null : escapedText(sessionId);
  for (;;) {
    const page = (await read(LIST, [escapedText(userId), ...last, session, status ?? null])).map(entryOf);
    yield* page;
    const end = page.at(-1);
    if (page.length < PAGE || !end) return;
    last = [end.startedMs, end.id];
  }
}

function entryOf({ name, started_ms, session, status }: Row): HistoryEntry {
  const [id, startedMs] = [String(name), Number(started_ms)];
  return {
    key: rowKey(startedMs, id),
    id,
    startedMs,
    session: session === null ? undefined : String(session),
    status: status === null ? undefined : (status as HistoryStatus),
  };
}
