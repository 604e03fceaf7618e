import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Database, Query, SqlValue } from '../database.ts';
import { type Bound, createState, openMemory, openState, type State } from './state.ts';
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
  const run: Query = (sql, values = []) =>
    step((state) => state.run(typeof sql === 'string' ? sql : sql.text, values.map(bound)));
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
