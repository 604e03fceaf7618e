import { chmodSync, rmSync } from 'node:fs';
import { messageOf, ToolwrightError } from '../../errors.ts';
import { type Driver, openDriver, type Statement } from '../../stores/sqlite/sqlite-driver.ts';
import type { LocalIndex, RowFilter } from './execution-index.ts';

import { type IndexedRow, type StoredRow, tokensOf } from './row.ts';

type Value = string | number | null;

/** Another number throws the tables away: they are built again from the journals. */
const SCHEMA_VERSION = 3;
/** Milliseconds that SQLite waits for another process. It blocks this process meanwhile. */
const BUSY_TIMEOUT_MS = 50;

// A crash may lose the last rows: the next start reads them again from the journals. `secure_delete` overwrites removed programs.
const SETUP = `
PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS};
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
PRAGMA secure_delete = ON;`;

const TABLES = `
CREATE TABLE changes (last INTEGER NOT NULL);
INSERT INTO changes VALUES (0);
CREATE TABLE executions (number INTEGER PRIMARY KEY, key TEXT NOT NULL, id TEXT NOT NULL UNIQUE, user TEXT NOT NULL, session TEXT,
  status TEXT NOT NULL, error TEXT, tokens INTEGER NOT NULL, ms REAL NOT NULL, questions INTEGER NOT NULL, dry_run INTEGER NOT NULL,
  change INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX by_key ON executions (key);
CREATE INDEX by_user ON executions (user, key);
CREATE INDEX by_status ON executions (status, key);
CREATE INDEX by_session ON executions (session, key) WHERE session IS NOT NULL;
CREATE INDEX by_error ON executions (error, key) WHERE error IS NOT NULL;
CREATE INDEX by_questions ON executions (key) WHERE questions > 0;
CREATE INDEX by_dry_run ON executions (key) WHERE dry_run = 1;
CREATE INDEX by_change ON executions (change);
CREATE TABLE tools (tool TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (tool, key)) WITHOUT ROWID;
CREATE INDEX by_execution ON tools (key);
CREATE VIRTUAL TABLE texts USING fts5(text, content='', contentless_delete=1);
INSERT INTO texts(texts, rank) VALUES ('secure-delete', 1);
PRAGMA user_version = ${SCHEMA_VERSION};`;

const INSERT =
  'INSERT INTO executions (key, id, user, session, status, error, tokens, ms, questions, dry_run, change, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
const UPDATE =
  'UPDATE executions SET key = ?, user = ?, session = ?, status = ?, error = ?, tokens = ?, ms = ?, questions = ?, dry_run = ?, change = ?, data = ? WHERE number = ?';

/** Opens an index in a file, which several processes of one machine can use at once. A damaged file is thrown away. */
export function sqliteIndex(path: string): LocalIndex {
  try {
    return indexOf(openTables(path));
  } catch (error) {
    if (error instanceof ToolwrightError || /locked|busy/i.test(messageOf(error))) throw error;
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
    return indexOf(openTables(path));
  }
}

function openTables(path: string): Driver {
  const database = openDriver(path);
  try {
    database.exec(SETUP);
    if (path !== ':memory:' && process.platform !== 'win32') chmodSync(path, 0o600);
    if (versionOf(database) !== SCHEMA_VERSION) createTables(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Creates the tables, unless another process is first. */
function createTables(database: Driver): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    if (versionOf(database) !== SCHEMA_VERSION) {
      for (const table of ['changes', 'executions', 'tools', 'texts']) database.exec(`DROP TABLE IF EXISTS ${table}`);
      database.exec(TABLES);
    }
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

function versionOf(database: Driver): number {
  return Number(Object(database.prepare('PRAGMA user_version').get()).user_version);
}

function indexOf(database: Driver): LocalIndex {
  const statements = new Map<string, Statement>();
  const sql: Sql = (text) => {
    const known = statements.get(text) ?? database.prepare(text);
    statements.set(text, known);
    return known;
  };
  const transaction = (work: () => void) => {
    database.exec('BEGIN IMMEDIATE');
    try {
      work();
      database.exec('COMMIT');
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    }
  };
  const { find, forget, writeRow } = rowWriter(sql);
  const lastChange = () => Number(Object(sql('SELECT last FROM changes').get()).last);
  let version: unknown;
  return {
    write: (rows) =>
      transaction(() => {
        let change = lastChange();
        for (const row of rows) if (writeRow(row, change + 1)) change++;
        sql('UPDATE changes SET last = ?').run(change);
      }),
    remove: (ids) =>
      transaction(() => {
        for (const { number } of ids.map(find)) {
          if (number === undefined) continue;
          forget(number);
          sql('DELETE FROM executions WHERE number = ?').run(number);
        }
      }),
    page(filter, limit) {
      const { where, values } = conditionOf(filter);
      const text = `SELECT change, data FROM executions WHERE ${where} ORDER BY key DESC LIMIT ?`;
      return sql(text)
        .all(...values, limit)
        .map(toRow);
    },
    count(filter) {
      const { where, values } = conditionOf(filter);
      return Number(Object(sql(`SELECT count(*) AS n FROM executions WHERE ${where}`).get(...values)).n);
    },
    changedAfter: (change, limit) =>
      sql('SELECT change, data FROM executions WHERE change > ? ORDER BY change LIMIT ?').all(change, limit).map(toRow),
    lastChange,
    hasForeignChanges() {
      const before = version;
      version = Object(sql('PRAGMA data_version').get()).data_version;
      return before !== version;
    },
    known: (after, limit) =>
      sql('SELECT id, status FROM executions WHERE id > ? ORDER BY id LIMIT ?')
        .all(after, limit)
        .map((row) => {
          const { id, status } = Object(row);
          return { id, status: status === 'open' ? undefined : status };
        }),
    close: () => void database.close(),
  };
}

type Sql = (text: string) => Statement;

/** Returns the steps that change single rows. */
function rowWriter(sql: Sql) {
  const find = (id: string): { readonly number?: number; readonly data?: string } =>
    Object(sql('SELECT number, data FROM executions WHERE id = ?').get(id));
  const forget = (number: number) => {
    sql('DELETE FROM tools WHERE key = (SELECT key FROM executions WHERE number = ?)').run(number);
    sql('DELETE FROM texts WHERE rowid = ?').run(number);
  };
  /** Returns whether the row is new or another one. */
  const writeRow = ({ text, toolNames, ...row }: IndexedRow, change: number): boolean => {
    const { key, id, userId, sessionId = null, status = 'open', error, totalMs = 0, openQuestions, isDryRun } = row;
    const facts = [status, error?.code ?? null, tokensOf(row), totalMs, openQuestions, isDryRun ? 1 : 0, change];
    const written = JSON.stringify(row);
    const { number: before, data } = find(id);
    if (data === written) return false;
    let number = before;
    if (number === undefined) {
      sql(INSERT).run(key, id, userId, sessionId, ...facts, written);
      number = find(id).number ?? 0;
    } else {
      forget(number);
      sql(UPDATE).run(key, userId, sessionId, ...facts, written, number);
    }
    for (const tool of toolNames) sql('INSERT OR IGNORE INTO tools VALUES (?, ?)').run(tool, key);
    sql('INSERT INTO texts (rowid, text) VALUES (?, ?)').run(number, text);
    return true;
  };
  return { find, forget, writeRow };
}

/** Returns the condition of a filter, as SQL with its values. */
function conditionOf(filter: RowFilter): { readonly where: string; readonly values: readonly Value[] } {
  const { id, userId, sessionId, statuses, tools, error, words, minTokens, minMs, hasQuestions, isDryRun } = filter;
  const { from, before } = filter;
  const conditions: string[] = [];
  const values: Value[] = [];
  const add = (condition: string, ...more: (Value | undefined)[]) => {
    const given = more.filter((value) => value !== undefined);
    if (given.length < more.length) return;
    conditions.push(condition);
    values.push(...given);
  };
  add('id = ?', id);
  add('user = ?', userId);
  add('session = ?', sessionId);
  if (statuses) add(`status IN (${statuses.map(() => '?').join(', ')})`, ...statuses);
  if (tools) add(`key IN (SELECT key FROM tools WHERE tool IN (${tools.map(() => '?').join(', ')}))`, ...tools);
  add('error = ?', error);
  add('tokens >= ?', minTokens);
  add('ms >= ?', minMs);
  if (hasQuestions) add('questions > 0');
  if (isDryRun) add('dry_run = 1');
  add('key >= ?', from);
  add('key < ?', before);
  // Words consist of letters, digits and spaces, so they need no escapes.
  const match = words?.map((word) => `"${word}"*`).join(' AND ');
  add('number IN (SELECT rowid FROM texts WHERE texts MATCH ?)', match === '' ? undefined : match);
  return { where: conditions.join(' AND ') || 'TRUE', values };
}

function toRow(found: unknown): StoredRow {
  const { change, data } = Object(found);
  return { ...JSON.parse(data), change: Number(change) };
}
