import { type Database, escapedText, ownerLives, type SqlValue } from '@toolwright/storage/internal';
import type { RowFilter } from './execution-index.ts';

type Engine = Database['engine'];

/** A statement with its values. */
export interface BoundStatement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Characters of a word that are found. */
export const MAX_WORD = 200;

const RUNNING = {
  sqlite: ownerLives('e.owner'),
  postgres: 'coalesce(e.expires_at > clock_timestamp() and e.owner is not null, false)',
};
/** The process of an execution is about to write its row: nobody sees an end without its time and costs. */
const BEHIND = `e.status <> r.status and exists (select 1 from toolwright.unindexed_executions u where u.id = e.id)`;
const columnsOf = (engine: Engine) =>
  `r.key, r.change::text as change, r.content, case when ${BEHIND} then null else e.status end as status,
  e.status is null and ${RUNNING[engine]} or coalesce(${BEHIND}, false) as running`;
// SQLite keeps the order of a cross join.
const JOIN = { sqlite: 'cross join', postgres: 'join' };

/** Returns the statement that reads rows, newest first. */
export function pageOf(engine: Engine, filter: RowFilter, limit: number): BoundStatement {
  const { from, where, values, order } = selectionOf(engine, filter);
  const sql = `select ${columnsOf(engine)} from ${from} where ${where} order by ${order} desc limit $${values.length + 1}`;
  return { sql, values: [...values, limit] };
}

/** Returns the statement that counts rows. */
export function countOf(engine: Engine, filter: RowFilter): BoundStatement {
  const { from, where, values } = selectionOf(engine, filter);
  return { sql: `select count(*)::text as n from ${from} where ${where}`, values };
}

/** Returns the statement that reads the rows after a change, in the order of their last changes. */
export function changedAfter(engine: Engine, change: number, limit: number): BoundStatement {
  const from = `toolwright.execution_rows r ${JOIN[engine]} toolwright.executions e on e.id = r.id`;
  const sql = `select ${columnsOf(engine)} from ${from} where r.change > $1 order by r.change limit $2`;
  return { sql, values: [change, limit] };
}

interface Selection {
  readonly from: string;
  readonly where: string;
  readonly order: string;
  readonly values: readonly SqlValue[];
}

function selectionOf(engine: Engine, filter: RowFilter): Selection {
  const { id, userId, sessionId, statuses, tools, error, words, minTokens, minMs, hasQuestions, isDryRun } = filter;
  const { from, before } = filter;
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const add = (condition: string, value: SqlValue | undefined) => {
    if (value !== undefined) conditions.push(condition.replaceAll('?', `$${values.push(value)}`));
  };
  const escaped = (text: string | undefined) => (text === undefined ? undefined : escapedText(text));
  const { rows, key, order, ...search } = searchOf(engine, filter);
  add(search.words, words && words.length > 0 ? matchOf(engine, words) : undefined);
  add(search.tools, search.isOneTool ? escaped(tools?.[0]) : tools?.map(escapedText));
  add('r.id = ?::uuid', id);
  // Of these rows are few: without statistics, SQLite would read all those of the user.
  const hasFew = engine === 'sqlite' && (sessionId !== undefined || error !== undefined || hasQuestions || isDryRun);
  add(`${hasFew ? '+' : ''}r.user_id = ?`, escaped(userId));
  add('r.session = ?', escaped(sessionId));
  // The row of an execution that has not ended may be a moment behind its status. PostgreSQL cannot estimate this condition.
  const mayChange = statuses?.some((status) => status === 'open' || status === 'suspended');
  if (statuses?.length === 1) add('r.status = ?', statuses[0]);
  else add('r.status = any(?::text[])', statuses);
  if (mayChange) add("coalesce(e.status, 'open') = any(?::text[])", statuses);
  add('r.error = ?', escaped(error));
  add('r.tokens >= ?', minTokens);
  add('r.ms >= ?', minMs);
  if (hasQuestions) conditions.push('r.questions > 0');
  if (isDryRun) conditions.push('r.dry_run');
  add(`${key} >= ?`, escaped(from));
  add(`${key} < ?`, escaped(before));
  if (order === WORD_ORDER) add(`${order} < (cast(substr(?, 1, 13) as integer) + 1) << 20`, escaped(before));
  const join = JOIN[engine];
  return {
    from: `${rows(join)} ${join} toolwright.executions e on e.id = r.id`,
    where: conditions.join(' and ') || 'true',
    order,
    values,
  };
}

const WORD_ORDER = 'execution_words.rowid';

/** Returns how words and tools are found. SQLite starts with the words, or the tool, newest first, and ends with the page. */
function searchOf(engine: Engine, { words, tools }: RowFilter) {
  const all = { rows: (_join: string) => 'toolwright.execution_rows r', key: 'r.key', order: 'r.key' };
  if (engine === 'postgres')
    return { ...all, words: 'r.words @@ ?::tsquery', tools: 'r.tools && ?::text[]', isOneTool: false };
  const match = 'execution_words match ?';
  const matching = (what: string, on: string) => (join: string) => `${what} ${join} execution_rows r on ${on}`;
  if (words && words.length > 0) {
    const used = 'exists (select 1 from execution_tools t where t.tool = any(?) and t.key = r.key)';
    const rows = matching('execution_words', `r.number = ${WORD_ORDER}`);
    return { ...{ rows, key: 'r.key', order: WORD_ORDER }, words: match, tools: used, isOneTool: false };
  }
  if (tools?.length === 1) {
    const rows = matching('execution_tools t', 'r.key = t.key');
    return { ...{ rows, key: 't.key', order: 't.key' }, words: match, tools: 't.tool = ?', isOneTool: true };
  }
  const used = 'r.key in (select key from execution_tools where tool = any(?))';
  return { ...all, words: match, tools: used, isOneTool: false };
}

/** Returns a query for words. Each consists of parts that follow each other, and the last one may be the beginning of a word. */
function matchOf(engine: Engine, words: readonly string[]): string {
  if (engine === 'sqlite') return words.map((word) => `"${word}"*`).join(' AND ');
  const phrase = (word: string) =>
    `${word
      .split(' ')
      .map((part) => `'${part.slice(0, MAX_WORD)}'`)
      .join(' <-> ')}:*`;
  return words.map((word) => `(${phrase(word)})`).join(' & ');
}
