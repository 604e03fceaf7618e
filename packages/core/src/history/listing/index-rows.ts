import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Database, escapedText, type Row, type SqlValue } from '@toolwright/storage/internal';
import type { HistoryStatus } from '../../journal/history.ts';
import type { JournalReader } from '../../journal/storages/storage.ts';
import { startBeat } from '../../unless-running.ts';
import { type ExecutionIndex, partsOf } from './execution-index.ts';
import { readRow } from './read-row.ts';
import { type IndexedRow, type StoredRow, tokensOf } from './row.ts';
import { type BoundStatement, changedAfter, countOf, MAX_WORD, pageOf } from './row-queries.ts';
import type { ChangeReports } from './watch-changes.ts';

export interface IndexRowsOptions {
  readonly database: Database;
  readonly journals: JournalReader;
  /** Default: the index reports no changes, and follows those of other processes by looking for executions without rows. */
  readonly changes?: ChangeReports | undefined;
}

/** The first hexadecimal digits of an id, which order the executions of one millisecond. */
const PLACE_DIGITS = 5;
const ROWS_AT_ONCE = 32;
/** Words of a row that are found. PostgreSQL stores no later position. */
const MAX_WORDS = 12_000;
/** Milliseconds that the process of an execution has to write the row itself, and between two looks for those that it did not write. */
const GRACE_MS = { sqlite: 0, postgres: 2_000 };
/** Milliseconds in which the process of a new execution creates its journal. */
const CREATION_MS = 60_000;
const CATCH_UP_MS = { sqlite: 0, postgres: 10_000 };
/** Milliseconds between two looks for executions of other processes. */
const LOOK_MS = 500;

const LAST = {
  sqlite: 'select last from execution_changes',
  postgres: 'select coalesce(max(change), 0)::text as last from toolwright.execution_rows',
};
const WRITE = {
  sqlite: `insert into index_executions (id, user_id, session, status, error, tokens, ms, questions, dry_run, tools, words, content, place)
    select value ->> 'id', value ->> 'user_id', value ->> 'session', value ->> 'status', value ->> 'error', value ->> 'tokens',
      value ->> 'ms', value ->> 'questions', value ->> 'dry_run', value ->> 'tools', value ->> 'words', value ->> 'content',
      value ->> 'place' from json_each($1)`,
  postgres: `select toolwright.index_executions(array_agg(id), array_agg(user_id), array_agg(session), array_agg(status), array_agg(error),
      array_agg(tokens), array_agg(ms), array_agg(questions), array_agg(dry_run), array_agg(array_to_string(tools, E'\\n')),
      array_agg(words), array_agg(content))
    from json_to_recordset($1::json) as n (id uuid, user_id text, session text, status text, error text, tokens bigint, ms float8,
      questions int, dry_run boolean, tools text[], words text, content text)`,
};
const BEHIND = `select id::text as name, since::text as since from toolwright.unindexed_executions
  where since <= clock_timestamp() - $1::float8 * interval '1 millisecond'
    and ($2::timestamptz is null or (since, id) < ($2::timestamptz, $3::uuid))
  order by since desc, id desc limit ${ROWS_AT_ONCE}`;
const FORGET = `delete from toolwright.unindexed_executions where id = any($1::uuid[])
  and since < clock_timestamp() - $2 * interval '1 millisecond'`;

/**
 * Opens the index of lists, which any number of processes share. Rows are found by time, user, status, tool, error, cost and words. All of them
 * can be written again from the journals.
 */
export function indexRows({ database, journals, changes }: IndexRowsOptions): ExecutionIndex {
  const { engine, read } = database;
  const toRow = ({ key, change, content, status, running }: Row): StoredRow => {
    const { status: _before, ...row } = JSON.parse(String(content));
    return {
      ...row,
      key: String(key),
      change: Number(change),
      ...(status === null ? { isRunning: Boolean(running) } : { status: status as HistoryStatus }),
    };
  };
  const write = async (rows: readonly IndexedRow[]) => {
    if (rows.length === 0) return;
    await database.write(WRITE[engine], [JSON.stringify(rows.map((row) => columnsOf(row, engine)))]);
    changes?.publish(rows.map(({ userId }) => escapedText(userId)));
  };
  const rowsOf = async ({ sql, values }: BoundStatement) => (await read(sql, values)).map(toRow);
  let last: Promise<unknown> = Promise.resolve();
  /** Reads and writes rows one after the other: no older row follows a newer one. Returns the ids of the written ones. */
  const refresh = (ids: readonly string[]): Promise<ReadonlySet<string>> => {
    const own = last.then(async () => {
      const rows = await readRows(journals, ids);
      await write(rows);
      return new Set(rows.map(({ id }) => id));
    });
    last = own.catch(() => undefined);
    return own;
  };
  const index: ExecutionIndex = {
    catchUpMs: CATCH_UP_MS[engine],
    write,
    refresh: async (ids) => void (await refresh(ids)),
    page: (filter, limit) => rowsOf(pageOf(engine, filter, limit)),
    async count(filter) {
      const { sql, values } = countOf(engine, filter);
      return Number((await read(sql, values))[0]?.n);
    },
    changedAfter: (change, limit) => rowsOf(changedAfter(engine, change, limit)),
    lastChange: async () => Number((await read(LAST[engine]))[0]?.last),
    onForeignChange(listener) {
      if (changes) return changes.subscribe(listener);
      const ending = new AbortController();
      // A failed look is repeated, and the next query reports it.
      const end = startBeat(LOOK_MS, () => index.catchUp(ending.signal).then(listener));
      return () => {
        end();
        ending.abort();
      };
    },
    async catchUp(signal) {
      let [since, id]: SqlValue[] = [null, null];
      while (!signal.aborted) {
        const page: readonly Row[] = await read(BEHIND, [GRACE_MS[engine], since ?? null, id ?? null]);
        const ids = page.map(({ name }) => String(name));
        // Newest pages first, so that lists begin with them. In a page, followers see the older execution first.
        const written = await refresh(ids.toReversed());
        const unreadable = ids.filter((each) => !written.has(each));
        // A journal that cannot be read has no row.
        if (unreadable.length > 0) await database.write(FORGET, [unreadable, CREATION_MS]);
        if (ids.length < ROWS_AT_ONCE) return;
        [since, id] = [page.at(-1)?.since as string | number, ids.at(-1) ?? null];
        await nextTurn();
      }
    },
  };
  return index;
}

/** Reads rows from journals. Leaves out those that are gone or cannot be read. */
async function readRows(journals: JournalReader, ids: readonly string[]): Promise<IndexedRow[]> {
  const rows = await Promise.all(ids.map((id) => readRow(journals, id).catch(() => undefined)));
  return rows.filter((row) => row !== undefined);
}

function columnsOf({ text, toolNames, ...row }: IndexedRow, engine: Database['engine']) {
  const { id, userId, sessionId, status = 'open', error, totalMs = 0, openQuestions, isDryRun = false } = row;
  const words = partsOf(text).slice(0, MAX_WORDS);
  return {
    id,
    user_id: escapedText(userId),
    session: sessionId === undefined ? null : escapedText(sessionId),
    status,
    error: error === undefined ? null : escapedText(error.code),
    tokens: tokensOf(row),
    ms: totalMs,
    questions: openQuestions,
    dry_run: isDryRun,
    tools: toolNames.map(escapedText),
    words: engine === 'sqlite' ? words.join(' ') : vectorOf(words),
    content: JSON.stringify(row),
    place: Number.parseInt(id.slice(0, PLACE_DIGITS), 16),
  };
}

/** Returns words with their positions. They consist of letters and digits, so they need no escapes. */
function vectorOf(words: readonly string[]): string {
  return words.map((word, index) => `'${word.slice(0, MAX_WORD)}':${index + 1}`).join(' ');
}
