import { type Database, openDatabase, type Statement, toBuffer } from './sqlite-driver.ts';
import { addTo, type Change, type Entry, expiry, type Lifetime } from './store.ts';

/** The store's steps on an open database, each in one transaction. They throw what SQLite throws. */
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
  page(namespace: string, after: string | undefined, limit: number): Entry[];
  namespaces(prefix: string): string[];
  close(): void;
}

/** SQLite itself waits no longer for a lock, because it stops the whole process meanwhile. */
const BUSY_TIMEOUT_MS = 20;
/** Namespaces that have expired are erased at the latest so long after, while there are writes. */
const PURGE_INTERVAL_MS = 60_000;

// `secure_delete`: what is removed is overwritten. `synchronous = FULL`: what was answered survives a power cut.
const SETUP = `
PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS};
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA secure_delete = ON;
CREATE TABLE IF NOT EXISTS namespaces (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, expires_at REAL, ends_at REAL);
CREATE TABLE IF NOT EXISTS entries (namespace INTEGER NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
  PRIMARY KEY (namespace, key)) WITHOUT ROWID;`;

/** Opens the database and its statements. Throws what SQLite throws: no database, locked, no space. */
export function openTables(path: string): Tables {
  const database = openDatabase(path);
  try {
    database.exec(SETUP);
    return tablesOf(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

function tablesOf(database: Database): Tables {
  const statements = new Map<string, Statement>();
  let purgedAt = 0;

  function sql(text: string): Statement {
    const known = statements.get(text) ?? database.prepare(text);
    statements.set(text, known);
    return known;
  }

  function transaction<T>(work: () => T): T {
    database.exec('BEGIN IMMEDIATE');
    try {
      if (Date.now() - purgedAt > PURGE_INTERVAL_MS) purgeExpired();
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    }
  }

  function purgeExpired(): void {
    purgedAt = Date.now();
    for (const id of columns(sql('SELECT id FROM namespaces WHERE expires_at <= ?').all(purgedAt), 'id'))
      drop(Number(id));
  }

  function drop(id: number): void {
    sql('DELETE FROM entries WHERE namespace = ?').run(id);
    sql('DELETE FROM namespaces WHERE id = ?').run(id);
  }

  function find(name: string): { id: number; endsAt: number } | undefined {
    const row = sql('SELECT id, expires_at, ends_at FROM namespaces WHERE name = ?').get(name);
    if (row === undefined) return undefined;
    const { id, expires_at, ends_at } = Object(row);
    if (expires_at !== null && expires_at <= Date.now()) return undefined;
    return { id: Number(id), endsAt: ends_at ?? Number.POSITIVE_INFINITY };
  }

  function make(name: string): { id: number; endsAt: number } {
    const known = find(name);
    if (known) return known;
    const expired = sql('SELECT id FROM namespaces WHERE name = ?').get(name);
    if (expired) drop(Object(expired).id);
    sql('INSERT INTO namespaces (name) VALUES (?)').run(name);
    return {
      id: Object(sql('SELECT id FROM namespaces WHERE name = ?').get(name)).id,
      endsAt: Number.POSITIVE_INFINITY,
    };
  }

  function settle({ id, endsAt }: { id: number; endsAt: number }, lifetime: Lifetime | undefined): void {
    if (lifetime) {
      const next = expiry(lifetime, Date.now(), endsAt);
      sql('UPDATE namespaces SET expires_at = ?, ends_at = ? WHERE id = ?').run(
        finite(next.expiresAt),
        finite(next.endsAt),
        id,
      );
    }
    const used = sql('SELECT 1 AS used FROM entries WHERE namespace = ? LIMIT 1').get(id);
    if (used === undefined) drop(id);
  }

  function write(id: number, { key, value, was }: Change): boolean {
    const bytes = Buffer.from(value);
    if (was) {
      const update = sql('UPDATE entries SET value = ? WHERE namespace = ? AND key = ? AND value = ?');
      return changed(update.run(bytes, id, key, Buffer.from(was)));
    }
    const insert = 'INSERT INTO entries (namespace, key, value) VALUES (?, ?, ?) ON CONFLICT DO';
    return changed(
      sql(`${insert} ${was === null ? 'NOTHING' : 'UPDATE SET value = excluded.value'}`).run(id, key, bytes),
    );
  }

  const readAll = 'SELECT key, value FROM entries WHERE namespace = ? AND key IN (SELECT value FROM json_each(?))';
  function read(name: string, keys: readonly string[]): Map<string, Buffer> {
    const id = find(name)?.id;
    const rows = id === undefined ? [] : sql(readAll).all(id, JSON.stringify(keys));
    return new Map(rows.map(toEntry).map(({ key, value }) => [key, value]));
  }

  return {
    get(name, keys) {
      const values = read(name, keys);
      return keys.map((key) => values.get(key));
    },
    put: (name, changes, lifetime) =>
      transaction(() => {
        const namespace = make(name);
        const written = changes.map((change) => write(namespace.id, change));
        settle(namespace, lifetime);
        return written;
      }),
    increment: (name, amounts, lifetime) =>
      transaction(() => {
        const namespace = make(name);
        const present = read(name, Object.keys(amounts));
        const sums = Object.entries(amounts).map(([key, amount]): [string, number] => {
          const value = addTo(present.get(key)?.toString() ?? '0', amount, key);
          write(namespace.id, { key, value: String(value) });
          return [key, value];
        });
        settle(namespace, lifetime);
        return Object.fromEntries(sums);
      }),
    delete(name, keys) {
      transaction(() => {
        const namespace = find(name);
        if (namespace === undefined) return;
        if (keys === undefined) return drop(namespace.id);
        const remove = sql('DELETE FROM entries WHERE namespace = ? AND key = ?');
        for (const key of keys) remove.run(namespace.id, key);
        settle(namespace, undefined);
      });
      // The log still has the old pages. Where another process reads them just now, a later call empties it.
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    },
    touch: (name, lifetime) =>
      transaction(() => {
        const namespace = find(name);
        if (namespace) settle(namespace, lifetime);
        return namespace !== undefined;
      }),
    page(name, after, limit) {
      const id = find(name)?.id;
      if (id === undefined) return [];
      const rows =
        after === undefined
          ? sql('SELECT key, value FROM entries WHERE namespace = ? ORDER BY key LIMIT ?').all(id, limit)
          : sql('SELECT key, value FROM entries WHERE namespace = ? AND key > ? ORDER BY key LIMIT ?').all(
              id,
              after,
              limit,
            );
      return rows.map(toEntry);
    },
    namespaces(prefix) {
      const living = 'SELECT name FROM namespaces WHERE expires_at IS NULL OR expires_at > ?';
      return columns(sql(living).all(Date.now()), 'name')
        .map(String)
        .filter((name) => name.startsWith(prefix));
    },
    close() {
      statements.clear();
      database.close();
    },
  };
}

const finite = (milliseconds: number): number | null => (Number.isFinite(milliseconds) ? milliseconds : null);

function columns(rows: readonly unknown[], column: string): unknown[] {
  return rows.map((row) => Object(row)[column]);
}

function toEntry(row: unknown): Entry {
  const { key, value } = Object(row);
  return { key, value: toBuffer(value) };
}

function changed(result: unknown): boolean {
  return Number(Object(result).changes) > 0;
}
