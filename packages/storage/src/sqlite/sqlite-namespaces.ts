import { expiry, type Lifetime } from '../store.ts';
import { type Driver, rollBack, type Statement } from './sqlite-driver.ts';

/** A row of the table `namespaces` that has not expired. */
export interface Namespace {
  readonly id: number;
  /** Milliseconds since the epoch; infinite without a lifetime. */
  readonly expiresAt: number;
  /** Milliseconds since the epoch; infinite without an absolute lifetime. */
  readonly endsAt: number;
}

/** Runs statements and transactions, and keeps the table of namespaces. All methods raise the errors of SQLite. */
export interface Namespaces {
  /** Returns the prepared statement of a text, which is prepared once. */
  sql(text: string): Statement;
  /** Runs `work` in one transaction, which is rolled back when `work` throws. Erases expired namespaces now and then. */
  transaction<T>(work: () => T): T;
  find(name: string): Namespace | undefined;
  /** Returns the namespace, created when it does not exist or has expired. */
  make(name: string): Namespace;
  drop(id: number): void;
  /** Sets the lifetime after a change, and drops a namespace without entries. */
  settle(namespace: Namespace, lifetime: Lifetime | undefined): void;
  /** Returns the names that start with `prefix`, without expired namespaces. */
  names(prefix: string): string[];
  close(): void;
}

/** Expired namespaces are erased at most this often, by the next write. */
const PURGE_INTERVAL_MS = 60_000;

/** Opens the namespaces of a database whose tables exist. */
export function openNamespaces(database: Driver): Namespaces {
  const statements = new Map<string, Statement>();
  let purgedAt = 0;

  function sql(text: string): Statement {
    const known = statements.get(text) ?? database.prepare(text);
    statements.set(text, known);
    return known;
  }

  function purgeExpired(): void {
    purgedAt = Date.now();
    const expired = columns(sql('SELECT id FROM namespaces WHERE expires_at <= ?').all(purgedAt), 'id');
    for (const id of expired) drop(Number(id));
  }

  function drop(id: number): void {
    sql('DELETE FROM entries WHERE namespace = ?').run(id);
    sql('DELETE FROM namespaces WHERE id = ?').run(id);
  }

  function find(name: string): Namespace | undefined {
    const row = sql('SELECT id, expires_at, ends_at FROM namespaces WHERE name = ?').get(name);
    if (row === undefined) return undefined;
    const { id, expires_at, ends_at } = Object(row);
    if (expires_at !== null && expires_at <= Date.now()) return undefined;
    const never = Number.POSITIVE_INFINITY;
    return { id: Number(id), expiresAt: expires_at ?? never, endsAt: ends_at ?? never };
  }

  return {
    sql,
    find,
    drop,
    transaction(work) {
      database.exec('BEGIN IMMEDIATE');
      try {
        if (Date.now() - purgedAt > PURGE_INTERVAL_MS) purgeExpired();
        const result = work();
        database.exec('COMMIT');
        return result;
      } catch (error) {
        rollBack(database);
        throw error;
      }
    },
    make(name) {
      const known = find(name);
      if (known) return known;
      const idOf = () => sql('SELECT id FROM namespaces WHERE name = ?').get(name);
      const expired = idOf();
      if (expired) drop(Object(expired).id);
      sql('INSERT INTO namespaces (name) VALUES (?)').run(name);
      const never = Number.POSITIVE_INFINITY;
      return { id: Object(idOf()).id, expiresAt: never, endsAt: never };
    },
    settle({ id, endsAt }, lifetime) {
      if (lifetime) {
        const next = expiry(lifetime, Date.now(), endsAt);
        const update = sql('UPDATE namespaces SET expires_at = ?, ends_at = ? WHERE id = ?');
        update.run(finite(next.expiresAt), finite(next.endsAt), id);
      }
      const used = sql('SELECT 1 AS used FROM entries WHERE namespace = ? LIMIT 1').get(id);
      if (used === undefined) drop(id);
    },
    names(prefix) {
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

function finite(milliseconds: number): number | null {
  return Number.isFinite(milliseconds) ? milliseconds : null;
}

function columns(rows: readonly unknown[], column: string): unknown[] {
  return rows.map((row) => Object(row)[column]);
}
