import type { HistoryStatus } from '../../journal/history.ts';
import type { JournalReader } from '../../journal/storages/storage.ts';
import type { Row, SqlValue } from '../../stores/database.ts';
import type { Postgres } from '../../stores/postgres/connection.ts';
import { escapedText } from '../../stores/postgres/escaped-text.ts';
import { readRows } from './catch-up.ts';
import { type ExecutionIndex, partsOf, type RowFilter } from './execution-index.ts';

import { type IndexedRow, type StoredRow, tokensOf } from './row.ts';
import type { ChangeWatch } from './watch-changes.ts';

export interface PostgresIndexOptions {
  readonly database: Postgres;
  readonly journals: JournalReader;
  readonly changes: Pick<ChangeWatch, 'publish' | 'subscribe'>;
}

const CATCH_UP_MS = 10_000;
const ROWS_AT_ONCE = 32;
/** Characters of a word, and words of a row, that are found. PostgreSQL stores no later position. */
const MAX_WORD = 200;
const MAX_WORDS = 12_000;

const WRITE = `select toolwright.index_executions($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::float8[],
  $8::int[], $9::boolean[], $10::text[], $11::text[], $12::text[])`;
const ROWS = `from toolwright.execution_rows r join toolwright.executions e on e.id = r.id`;
const COLUMNS = `r.key, r.change::text as change, r.content, e.status,
  e.status is null and coalesce(e.expires_at > clock_timestamp() and e.owner is not null, false) as running`;
const CHANGED = `select ${COLUMNS} ${ROWS} where r.change > $1 order by r.change limit $2`;
const LAST = 'select coalesce(max(change), 0)::text as last from toolwright.execution_rows';
const REMOVE = 'delete from toolwright.execution_rows where id = any($1::uuid[])';
// Their own processes write them within two seconds.
const BEHIND = `select id::text as name from toolwright.unindexed_executions
  where since < clock_timestamp() - interval '2 seconds' and id <> all($1::uuid[]) limit ${ROWS_AT_ONCE}`;
const FORGET = 'delete from toolwright.unindexed_executions where id = any($1::uuid[])';

/** Opens the index of a database, which any number of machines share. */
export function postgresIndex({ database, journals, changes }: PostgresIndexOptions): ExecutionIndex {
  const { read } = database;
  const write = async (rows: readonly IndexedRow[]) => {
    if (rows.length === 0) return;
    await database.write(WRITE, columnsOf(rows));
    changes.publish(rows.map(({ userId }) => escapedText(userId)));
  };
  return {
    catchUpMs: CATCH_UP_MS,
    write,
    async remove(ids) {
      await database.write(REMOVE, [ids]);
    },
    async page(filter, limit) {
      const { where, values } = conditionOf(filter);
      const sql = `select ${COLUMNS} ${ROWS} where ${where} order by r.key desc limit $${values.length + 1}`;
      return (await read(sql, [...values, limit])).map(toRow);
    },
    async count(filter) {
      const { where, values } = conditionOf(filter);
      return Number((await read(`select count(*)::text as n ${ROWS} where ${where}`, values))[0]?.n);
    },
    changedAfter: async (change, limit) => (await read(CHANGED, [change, limit])).map(toRow),
    lastChange: async () => Number((await read(LAST))[0]?.last),
    hasForeignChanges: () => false,
    onForeignChange: (listener) => changes.subscribe(() => listener()),
    async catchUp(signal) {
      const seen: string[] = [];
      while (!signal.aborted) {
        const ids = (await read(BEHIND, [seen])).map(({ name }) => String(name));
        if (ids.length === 0) return;
        seen.push(...ids);
        const rows = await readRows(journals, ids);
        await write(rows);
        const written = new Set(rows.map(({ id }) => id));
        // A journal that cannot be read has no row.
        await database.write(FORGET, [ids.filter((id) => !written.has(id))]);
      }
    },
    close: () => undefined,
  };
}

function columnsOf(rows: readonly IndexedRow[]): SqlValue[] {
  const shown = rows.map(({ text: _text, toolNames: _names, ...row }) => JSON.stringify(row));
  return [
    rows.map(({ id }) => id),
    rows.map(({ userId }) => escapedText(userId)),
    rows.map(({ sessionId }) => (sessionId === undefined ? null : escapedText(sessionId))),
    rows.map(({ status = 'open' }) => status),
    rows.map(({ error }) => (error === undefined ? null : escapedText(error.code))),
    rows.map(tokensOf),
    rows.map(({ totalMs = 0 }) => totalMs),
    rows.map(({ openQuestions }) => openQuestions),
    rows.map(({ isDryRun = false }) => isDryRun),
    rows.map(({ toolNames }) => toolNames.map(escapedText).join('\n')),
    rows.map(({ text }) => vectorOf(text)),
    shown,
  ];
}

/** Returns the words of a text with their positions. They consist of letters and digits, so they need no escapes. */
function vectorOf(text: string): string {
  const words = partsOf(text).slice(0, MAX_WORDS);
  return words.map((word, index) => `'${word.slice(0, MAX_WORD)}':${index + 1}`).join(' ');
}

/** Returns a query for words. Each consists of parts that follow each other, and the last one may be the beginning of a word. */
function queryOf(words: readonly string[]): string {
  const phrase = (word: string) =>
    `${word
      .split(' ')
      .map((part) => `'${part.slice(0, MAX_WORD)}'`)
      .join(' <-> ')}:*`;
  return words.map((word) => `(${phrase(word)})`).join(' & ');
}

/** Returns the condition of a filter, as SQL with its values. */
function conditionOf(filter: RowFilter): { readonly where: string; readonly values: readonly SqlValue[] } {
  const { id, userId, sessionId, statuses, tools, error, words, minTokens, minMs, hasQuestions, isDryRun } = filter;
  const { from, before } = filter;
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const add = (condition: string, value: SqlValue | undefined) => {
    if (value !== undefined) conditions.push(condition.replaceAll('?', `$${values.push(value)}`));
  };
  const escaped = (text: string | undefined) => (text === undefined ? undefined : escapedText(text));
  add('r.id = ?::uuid', id);
  add('r.user_id = ?', escaped(userId));
  add('r.session = ?', escaped(sessionId));
  // The row of an execution may be a moment behind its status.
  add("r.status = any(?::text[]) and coalesce(e.status, 'open') = any(?::text[])", statuses);
  add('r.tools && ?::text[]', tools?.map(escapedText));
  add('r.error = ?', escaped(error));
  add('r.tokens >= ?', minTokens);
  add('r.ms >= ?', minMs);
  if (hasQuestions) conditions.push('r.questions > 0');
  if (isDryRun) conditions.push('r.dry_run');
  add('r.key >= ?', escaped(from));
  add('r.key < ?', escaped(before));
  add('r.words @@ ?::tsquery', words && words.length > 0 ? queryOf(words) : undefined);
  return { where: conditions.join(' and ') || 'true', values };
}

function toRow({ key, change, content, status, running }: Row): StoredRow {
  const { status: _before, ...row } = JSON.parse(String(content));
  return {
    ...row,
    key: String(key),
    change: Number(change),
    ...(status === null ? { isRunning: running === true } : { status: status as HistoryStatus }),
  };
}
