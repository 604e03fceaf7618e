import { messageOf } from '../errors.ts';
import { addTo, type Change, type Entry, type Lifetime, remainder } from '../store.ts';
import { type Driver, openDriver, toBuffer } from './sqlite-driver.ts';
import { type Namespaces, openNamespaces } from './sqlite-namespaces.ts';

/** The store's steps on an open database, each in one transaction. They raise the errors of SQLite. */
export interface Tables {
  get(namespace: string, keys: readonly string[]): (Buffer | undefined)[];
  put(namespace: string, changes: readonly Change[], lifetime: Lifetime | undefined): boolean[];
  increment(
    namespace: string,
    amounts: Readonly<Record<string, number>>,
    lifetime: Lifetime | undefined,
  ): Record<string, number>;
  delete(namespace: string, keys: readonly string[] | undefined): void;
  touch(namespace: string, lifetime: Lifetime): boolean;
  remaining(namespace: string): Lifetime | undefined;
  /** Returns up to `limit` entries in the order of their keys, starting after the key `after`. */
  page(namespace: string, after: string | undefined, limit: number): Entry[];
  namespaces(prefix: string): string[];
  /** Reads the database again from the disk, all of it with `complete`. Raises an error if it is damaged. */
  check(complete: boolean): void;
  close(): void;
}

/** Milliseconds that SQLite itself waits for a lock. It blocks the whole process meanwhile. */
const BUSY_TIMEOUT_MS = 20;
/** Keys that one statement reads as one row. */
const MAX_ROW_KEYS = 4;
/** Pages of the largest database that a check of a running server reads: 4 MB, which takes about 8 ms. */
const MAX_CHECKED_PAGES = 1_000;

// `secure_delete` overwrites removed data. `synchronous = FULL` makes acknowledged writes survive a power cut.
const SETUP = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA secure_delete = ON;`;

const TABLES = `
CREATE TABLE namespaces (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, expires_at REAL, ends_at REAL);
CREATE TABLE entries (namespace INTEGER NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
  PRIMARY KEY (namespace, key)) WITHOUT ROWID;`;

const READ = 'SELECT key, value FROM entries WHERE namespace = ? AND key IN (SELECT value FROM json_each(?))';
const READ_FIRST = 'SELECT key, value FROM entries WHERE namespace = ? ORDER BY key LIMIT ?';
const READ_AFTER = 'SELECT key, value FROM entries WHERE namespace = ? AND key > ? ORDER BY key LIMIT ?';
const READ_ONE = '(SELECT value FROM entries WHERE namespace = id AND key = ?)';
const INSERT = 'INSERT INTO entries (namespace, key, value) VALUES (?, ?, ?) ON CONFLICT DO';
/** New entries that one statement adds: half the time of single ones. */
const ROWS = 50;
const INSERT_ROWS = `INSERT INTO entries (namespace, key, value) VALUES ${Array(ROWS).fill('(?, ?, ?)')}`;
const UPDATE = 'UPDATE entries SET value = ? WHERE namespace = ? AND key = ? AND value = ?';

/** Creates a database with empty tables. Raises the errors of SQLite. */
export function createDatabase(path: string): void {
  const database = openDriver(':memory:');
  try {
    database.exec(TABLES);
    database.exec(`VACUUM INTO '${path.replaceAll("'", "''")}'`);
  } finally {
    database.close();
  }
}

/** Opens a database. Raises the errors of SQLite: no database, no such table, locked, no space. */
export function openTables(path: string): Tables {
  const database = openDriver(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    const readTables = () => database.prepare('SELECT 1 FROM namespaces, entries LIMIT 1').get();
    // Raises "no such table" for a file that lost its content.
    readTables();
    database.exec(SETUP);
    // The first read creates the write-ahead log.
    readTables();
    return tablesOf(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

function tablesOf(database: Driver): Tables {
  const namespaces = openNamespaces(database);
  const { sql, transaction, find, make, settle } = namespaces;
  return {
    get(name, keys) {
      if (keys.length > 0 && keys.length <= MAX_ROW_KEYS) return readRow(namespaces, name, keys);
      const values = read(namespaces, name, keys);
      return keys.map((key) => values.get(key));
    },
    put: (name, changes, lifetime) =>
      transaction(() => {
        const namespace = make(name);
        const written = writeAll(namespaces, namespace.id, changes);
        settle(namespace, lifetime);
        return written;
      }),
    increment: (name, amounts, lifetime) =>
      transaction(() => {
        const namespace = make(name);
        const present = read(namespaces, name, Object.keys(amounts));
        const sums = Object.entries(amounts).map(([key, amount]): [string, number] => {
          const value = addTo(present.get(key)?.toString() ?? '0', amount, key);
          write(namespaces, namespace.id, { key, value: String(value) });
          return [key, value];
        });
        settle(namespace, lifetime);
        return Object.fromEntries(sums);
      }),
    delete(name, keys) {
      transaction(() => {
        const namespace = find(name);
        if (namespace === undefined) return;
        if (keys === undefined) return namespaces.drop(namespace.id);
        const remove = sql('DELETE FROM entries WHERE namespace = ? AND key = ?');
        for (const key of keys) remove.run(namespace.id, key);
        settle(namespace, undefined);
      });
      // The write-ahead log still contains the old pages. If another process reads them now, a later call truncates it.
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    },
    touch: (name, lifetime) =>
      transaction(() => {
        const namespace = find(name);
        if (namespace) settle(namespace, lifetime);
        return namespace !== undefined;
      }),
    remaining(name) {
      const namespace = find(name);
      return namespace && remainder(Date.now(), namespace);
    },
    page(name, after, limit) {
      const id = find(name)?.id;
      if (id === undefined) return [];
      const rows = after === undefined ? sql(READ_FIRST).all(id, limit) : sql(READ_AFTER).all(id, after, limit);
      return rows.map(toEntry);
    },
    namespaces: namespaces.names,
    check(complete) {
      // Cached pages hide damage of the file.
      database.exec('PRAGMA shrink_memory');
      const { page_count } = Object(sql('PRAGMA page_count').get());
      if (page_count > MAX_CHECKED_PAGES && !complete) return;
      const { quick_check } = Object(sql('PRAGMA quick_check(1)').get());
      if (quick_check !== 'ok') throw new Error(`database is malformed: ${quick_check}`);
    },
    close: namespaces.close,
  };
}

function read({ sql, find }: Namespaces, name: string, keys: readonly string[]): Map<string, Buffer> {
  const id = find(name)?.id;
  const rows = id === undefined ? [] : sql(READ).all(id, JSON.stringify(keys));
  return new Map(rows.map(toEntry).map(({ key, value }) => [key, value]));
}

/** Reads a few entries with one step of SQLite. */
function readRow({ sql }: Namespaces, name: string, keys: readonly string[]): (Buffer | undefined)[] {
  const columns = keys.map((_, at) => `${READ_ONE} AS value${at}`);
  const living = 'name = ? AND (expires_at IS NULL OR expires_at > ?)';
  const row = sql(`SELECT ${columns} FROM namespaces WHERE ${living}`).get(...keys, name, Date.now());
  return keys.map((_, at) => {
    const value: unknown = row === undefined ? null : Reflect.get(Object(row), `value${at}`);
    return value === null ? undefined : toBuffer(value);
  });
}

function writeAll(namespaces: Namespaces, id: number, changes: readonly Change[]): boolean[] {
  const written: boolean[] = [];
  while (written.length < changes.length) {
    const next = changes.slice(written.length, written.length + ROWS);
    const firstOther = next.findIndex(({ was }) => was !== null);
    const areAdded = next.length === ROWS && firstOther < 0 && addRows(namespaces, id, next);
    for (const change of next.slice(0, firstOther + 1 || ROWS)) written.push(areAdded || write(namespaces, id, change));
  }
  return written;
}

/** Adds entries with one statement, and returns true. Adds none and returns false if there is an entry with one of the keys. */
function addRows({ sql }: Namespaces, id: number, changes: readonly Change[]): boolean {
  try {
    sql(INSERT_ROWS).run(...changes.flatMap(({ key, value }) => [id, key, Buffer.from(value)]));
    return true;
  } catch (error) {
    if (/constraint/i.test(messageOf(error))) return false;
    throw error;
  }
}

function write({ sql }: Namespaces, id: number, { key, value, was }: Change): boolean {
  const bytes = Buffer.from(value);
  if (was) return changed(sql(UPDATE).run(bytes, id, key, Buffer.from(was)));
  const onConflict = was === null ? 'NOTHING' : 'UPDATE SET value = excluded.value';
  return changed(sql(`${INSERT} ${onConflict}`).run(id, key, bytes));
}

function toEntry(row: unknown): Entry {
  const { key, value } = Object(row);
  return { key, value: toBuffer(value) };
}

function changed(result: unknown): boolean {
  return Number(Object(result).changes) > 0;
}
