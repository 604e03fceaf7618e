import { chmodSync, existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { databaseClock } from '../clocks/database-clock.ts';
import { monotonicMs, startedMs, thisMachine, timeBy } from '../clocks/machine-clock.ts';
import type { Database, Query, SqlValue } from '../database.ts';
import { migrationsOf, migrationText } from '../migrations/migrations.ts';
import { unavailable } from '../store.ts';
import { type SqliteStatement, sqliteStatement } from './dialect.ts';
import { type Driver, openDriver, rollBack, type Statement, toBuffer } from './sqlite-driver.ts';
import { closed, DEFAULT_WAIT_MS, type Steps, sqliteSteps } from './steps.ts';

const STATE = { create: createState, open: openState };

/**
 * Opens the tables in a file, which several processes of one machine can use at once. An acknowledged write survives a crash of the process.
 * Statements reject with `STORE_UNAVAILABLE` when another process has locked the file for `waitMs` (default: 5,000). They also do for a file
 * that is damaged, read-only or of a newer version, for a full disk, and on a network file system.
 */
export function openSqlite(path: string, { waitMs = DEFAULT_WAIT_MS }: { readonly waitMs?: number } = {}): Database {
  return databaseOf(path, pathToFileURL(path).href, sqliteSteps<State>({ path, waitMs, kind: STATE }));
}

/** Opens new tables in memory, for this process alone. */
export function memorySqlite(): Database {
  const state = openMemory();
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();
  return databaseOf('memory', 'memory:', {
    async step(work) {
      if (isClosed) throw closed();
      return work(state);
    },
    alone(work) {
      const own = last.then(work);
      last = own.catch(() => undefined);
      return own;
    },
    async close() {
      await last;
      if (!isClosed) state.close();
      isClosed = true;
    },
  });
}

function databaseOf(address: string, url: string, { step, alone, close }: Steps<State>): Database {
  let known: State | undefined;
  const run: Query = (sql, values = []) =>
    step((state) => {
      // It was opened now, perhaps again.
      if (known !== state) databaseClock(url).add(state.now(), 0);
      known = state;
      return state.run(typeof sql === 'string' ? sql : sql.text, values.map(bound));
    });
  const single: Query = (sql, values) => alone(() => run(sql, values));
  const flushed = async <R>(work: () => Promise<R>): Promise<R> => {
    await step((state) => state.exec('PRAGMA synchronous = FULL'));
    return work().finally(() => step((state) => state.exec('PRAGMA synchronous = NORMAL')));
  };
  const inTransaction = async <R>(work: (query: Query) => Promise<R>): Promise<R> => {
    let failure: unknown;
    await step((state) => state.exec('BEGIN IMMEDIATE'));
    try {
      const result = await work((sql, values) => {
        // A failed statement may have ended the transaction.
        if (failure !== undefined) throw failure;
        return run(sql, values).catch((error: unknown) => {
          failure = error;
          throw error;
        });
      });
      await step((state) => state.exec('COMMIT'));
      return result;
    } catch (error) {
      await step((state) => state.exec('ROLLBACK')).catch(() => undefined);
      throw error;
    }
  };
  return {
    engine: 'sqlite',
    address,
    url,
    read: single,
    write: (sql, values, { isFlushed = false } = {}) =>
      isFlushed ? alone(() => flushed(() => run(sql, values))) : single(sql, values),
    transaction: (work, { isFlushed = false } = {}) =>
      alone(() => (isFlushed ? flushed(() => inTransaction(work)) : inTransaction(work))),
    [Symbol.asyncDispose]: close,
  };
}

/** Opens the tables of a URL of {@link openSqlite} again, in another thread. Undefined for another database. */
export function sqliteAt(url: string): Database | undefined {
  return url.startsWith('file:') ? openSqlite(fileURLToPath(url)) : undefined;
}

/** Copies the tables in a file into a new file, without the pages of removed rows. Does nothing if there is no file. */
export async function copySqlite(path: string, target: string): Promise<void> {
  if (!existsSync(path)) return;
  const { step, close } = sqliteSteps<State>({ path, waitMs: DEFAULT_WAIT_MS, kind: STATE });
  await step((state) => state.exec(`VACUUM INTO '${target.replaceAll("'", "''")}'`)).finally(close);
}

function bound(value: SqlValue): Bound {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Date) return value.getTime();
  return Array.isArray(value) ? JSON.stringify(value) : (value as Bound);
}

/** The tables of `state.db`, opened. All methods raise the errors of SQLite. */
export interface State {
  /** Runs a statement of PostgreSQL. */
  run(sql: string, values: readonly Bound[]): Readonly<Record<string, unknown>>[];
  exec(sql: string): void;
  /** The clock of the tables, in milliseconds since the epoch, with the time in which the machine slept. */
  now(): number;
  close(): void;
}

export type Bound = string | number | Uint8Array | null;

/** "TWST", in the header of the file. */
const APPLICATION = 0x54575354;
/** Milliseconds that SQLite itself waits for a lock. It blocks the whole process meanwhile. */
const BUSY_TIMEOUT_MS = 20;
/** The halves of `user_version`. */
const [HALF, HALF_BITS] = [0xffff, 16];
/** A clock that was set makes one start of a machine look like two. */
const SAME_START_MS = 10 * 60 * 1_000;
const OLD_CLOCK_MS = 30 * 24 * 60 * 60 * 1_000;

// An acknowledged write survives a crash of the process. A power cut may lose the last ones, and damages nothing.
const SETUP = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA foreign_keys = ON;
PRAGMA secure_delete = ON;`;

/** Creates a database with empty tables. Raises the errors of SQLite. */
export function createState(path: string): void {
  const driver = openDriver(':memory:');
  try {
    driver.exec(`PRAGMA application_id = ${APPLICATION}`);
    upgrade(driver, path);
    driver.exec(`VACUUM INTO '${path.replaceAll("'", "''")}'`);
  } finally {
    driver.close();
  }
}

/** Opens new tables in memory. */
export function openMemory(): State {
  const driver = openDriver(':memory:');
  upgrade(driver, 'in memory');
  return stateOf(driver, offsetOf(driver));
}

/** Opens a database. Raises the errors of SQLite, and `STORE_UNAVAILABLE` for one of another program or a newer version. */
export function openState(path: string): State {
  const driver = openDriver(path);
  try {
    driver.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    if (pragma(driver, 'application_id') !== APPLICATION) {
      const message = `The file ${path} is empty, or belongs to another program. Restore it from a backup. Or move it away: its tasks are then lost.`;
      throw unavailable(message, undefined);
    }
    driver.exec(SETUP);
    upgrade(driver, path);
    return stateOf(driver, offsetOf(driver));
  } catch (error) {
    driver.close();
    throw error;
  }
}

/**
 * Runs the missing migrations in one transaction: one process does it, and others wait for it. A copy of the tables of a former version stays
 * next to the file. The upper half of `user_version` is the oldest number of migrations that can use the tables.
 */
function upgrade(driver: Driver, path: string): void {
  const own = migrationsOf('sqlite');
  const missing = () => {
    const version = pragma(driver, 'user_version');
    const count = version & HALF;
    const compatibleFrom = version >>> HALF_BITS || count;
    if (compatibleFrom > own.names.length) {
      const message = `The file ${path} has ${count} migrations, and this version of Toolwright knows ${own.names.length}. A newer version wrote it: upgrade Toolwright.`;
      throw unavailable(message, undefined);
    }
    return own.names.slice(count);
  };
  const before = missing().length;
  if (before === 0) return;
  if (before < own.names.length) keepCopy(driver, path);
  driver.exec('BEGIN IMMEDIATE');
  try {
    for (const name of missing()) driver.exec(migrationText(own, name));
    driver.exec(`PRAGMA user_version = ${own.compatibleFrom * (HALF + 1) + own.names.length}`);
    driver.exec('COMMIT');
  } catch (error) {
    rollBack(driver);
    throw error;
  }
}

/** Keeps the tables of a former version, which renamed back a former version uses again. */
function keepCopy(driver: Driver, path: string): void {
  const copy = `${path}.imported-${Date.now()}`;
  if (existsSync(copy)) return;
  driver.exec(`VACUUM INTO '${copy.replaceAll("'", "''")}'`);
  if (process.platform !== 'win32') chmodSync(copy, 0o600);
}

/**
 * Returns the milliseconds that the processes of this machine add to its monotonic clock, so that all of them have one clock, which nobody sets. The first
 * process after a start of the machine decides it.
 */
function offsetOf(driver: Driver): number {
  const start = [thisMachine(), startedMs(), SAME_START_MS];
  const find = driver.prepare(
    'select offset_ms from clocks where machine = ? and abs(started_ms - ?) < ? order by id limit 1',
  );
  if (find.get(...start) === undefined) {
    const now = Date.now();
    driver.prepare('delete from clocks where created_ms < ?').run(now - OLD_CLOCK_MS);
    const add = 'insert into clocks (machine, started_ms, offset_ms, created_ms) values (?, ?, ?, ?)';
    driver.prepare(add).run(thisMachine(), startedMs(), now - monotonicMs(), now);
  }
  return Number(Object(find.get(...start)).offset_ms);
}

function stateOf(driver: Driver, offsetMs: number): State {
  const statements = new Map<string, SqliteStatement & { readonly statement: Statement }>();
  return {
    run(text, values) {
      let known = statements.get(text);
      if (!known) {
        const translated = sqliteStatement(text);
        known = { ...translated, statement: driver.prepare(translated.sql) };
        statements.set(text, known);
      }
      const clocks = [offsetMs + monotonicMs(), Date.now()].slice(0, known.clocks);
      const bound = [...values.slice(0, known.values), ...clocks];
      if (known.returns) return known.statement.all(...bound).map(toRow);
      known.statement.run(...bound);
      return [];
    },
    exec: (sql) => void driver.exec(sql),
    now: () => timeBy(offsetMs + monotonicMs()),
    close() {
      statements.clear();
      // One library closes the file later: a transaction would keep its lock, and a copy of the file would lack the last writes.
      rollBack(driver);
      try {
        driver.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } catch {
        // Another process reads the log, or the file is damaged.
      }
      driver.close();
    },
  };
}

/** Both libraries return bytes in another class than `Buffer`. */
function toRow(row: unknown): Record<string, unknown> {
  const isBytes = (value: unknown) => value instanceof Uint8Array || value instanceof ArrayBuffer;
  return Object.fromEntries(
    Object.entries(Object(row)).map(([name, value]) => [name, isBytes(value) ? toBuffer(value) : value]),
  );
}

function pragma(driver: Driver, name: string): number {
  return Number(Object(driver.prepare(`PRAGMA ${name}`).get())[name]);
}
