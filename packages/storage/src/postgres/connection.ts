import type { Pool, PoolClient } from 'pg';
import { databaseClock } from '../clocks/database-clock.ts';
import type { Database, Prepared, Query, SqlValue, TransactionOptions } from '../database.ts';
import { messageOf, ToolwrightError } from '../errors.ts';
import { parsePostgresUrl } from './address.ts';
import { openClient, openPool } from './pool.ts';
import { prepareSchema, watchSchema } from './schema.ts';

/** A user of the connections to one database, whose schema is that of this version. A read is repeated once if its connection ended. */
export interface Postgres extends Database {
  readonly engine: 'postgres';
}

export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database`. `cluster=name` names the cluster. */
  readonly url: string;
  /** Milliseconds that a connection or a statement may take. Default: 10,000. */
  readonly timeoutMs?: number;
  /** Connections of this process. Default: 10. */
  readonly connections?: number;
  /** Milliseconds between two looks at the version of the schema, which another process may upgrade. Default: 20,000. */
  readonly recheckMs?: number;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_CONNECTIONS = 10;
const DEFAULT_RECHECK_MS = 20_000;

const RIGHTS =
  'GRANT CREATE ON DATABASE, or USAGE on the schema toolwright and ALL on its tables, sequences and functions';

/** What to do about an error of PostgreSQL, by the start of its SQLSTATE. The longest start decides. */
const FIXES: Readonly<Record<string, string>> = {
  '22': 'Upgrade Toolwright, or report this.',
  '25006': 'The database is read-only: connect to the primary, and set default_transaction_read_only to off.',
  '28': 'Check the user and the password in the URL, and pg_hba.conf.',
  '3D000': 'Create the database: createdb, or CREATE DATABASE.',
  '3F000': 'A part of the schema toolwright is missing: restore the database from a backup.',
  '42501': `The user of the URL has too few rights: ${RIGHTS}.`,
  '42': 'A part of the schema toolwright is missing: restore the database from a backup.',
  '53100': 'The disk of the database is full: free space there (see "df -h").',
  '53300': 'Too many connections: raise max_connections, or run fewer processes.',
  '54': 'A key or a value is too large for PostgreSQL: keys may have 2,000 bytes.',
  XX001: 'The database is damaged: restore it from a backup.',
  XX002: 'An index of the database is damaged: run REINDEX.',
};
const OTHER_FIX = 'Check that it runs and accepts connections.';

/**
 * Opens a database. All users in this process share their connections. Connects with the first statement, and creates or upgrades the schema
 * then. Statements reject with `STORE_UNAVAILABLE` while the database does not answer, and with `CLOSED` after the end. The next statement
 * tries again. They also reject with `STORE_UNAVAILABLE` once another version has made the schema unusable for this one.
 */
export function openPostgres(options: PostgresOptions): Postgres {
  const address = parsePostgresUrl(options.url);
  const place = { address, clock: databaseClock(options.url) };
  const { timeoutMs = DEFAULT_TIMEOUT_MS, connections = DEFAULT_CONNECTIONS } = options;
  const { recheckMs = DEFAULT_RECHECK_MS } = options;
  let shared: SharedPool | undefined;
  let isClosed = false;

  const pool = async (): Promise<Pool> => {
    if (isClosed) throw new ToolwrightError('CLOSED', 'This store is closed.');
    shared ??= usePool(JSON.stringify([options.url, timeoutMs, connections, recheckMs]));
    const own = shared;
    own.opening ??= openPool(address.url, { timeoutMs, connections }).then(async (opened) => {
      try {
        await prepareSchema(opened, place, () => openClient(address.url, timeoutMs));
        own.checkVersion = watchSchema(opened, place, recheckMs);
        return opened;
      } catch (error) {
        await opened.end();
        throw error;
      }
    });
    const opened = await own.opening.catch((error: unknown) => {
      own.opening = undefined;
      throw error;
    });
    own.checkVersion?.();
    return opened;
  };
  /** Steps that run: the pool must not end before them. */
  const running = new Set<Promise<unknown>>();
  const step = <T>(repeats: boolean, work: (opened: Pool) => Promise<T>): Promise<T> => {
    const own = attempt(repeats, work).finally(() => running.delete(own));
    running.add(own);
    return own;
  };
  /** Runs a step, and once more on another connection if `repeats`. */
  const attempt = async <T>(repeats: boolean, work: (opened: Pool) => Promise<T>): Promise<T> => {
    try {
      return await work(await pool());
    } catch (error) {
      if (repeats && isConnectionLost(error) && !isClosed) return attempt(false, work);
      throw postgresFailure(address.name, error);
    }
  };
  return {
    engine: 'postgres',
    address: address.name,
    url: options.url,
    write: (sql, values = []) => step(false, async (opened) => (await opened.query(queryOf(sql, values))).rows),
    read: (sql, values = []) => step(true, async (opened) => (await opened.query(queryOf(sql, values))).rows),
    transaction: (work, options = {}) => step(false, (opened) => inTransaction(opened, work, options)),
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await Promise.allSettled(running);
      await shared?.release();
      shared = undefined;
    },
  };
}

/** A pool that all stores of this process with the same options use. */
interface SharedPool {
  opening?: Promise<Pool> | undefined;
  /** Raises an error once this version cannot use the schema any more. */
  checkVersion?: (() => void) | undefined;
  /** Ends the pool with its last user. */
  release(): Promise<void>;
}

const pools = new Map<string, SharedPool & { users: number }>();

function usePool(key: string): SharedPool {
  const known = pools.get(key);
  const pool = known ?? {
    users: 0,
    opening: undefined as SharedPool['opening'],
    checkVersion: undefined as SharedPool['checkVersion'],
    async release() {
      if (--pool.users > 0) return;
      pools.delete(key);
      const opened = await pool.opening?.catch(() => undefined);
      await opened?.end();
    },
  };
  pool.users++;
  pools.set(key, pool);
  return pool;
}

function queryOf(sql: string | Prepared, values: readonly SqlValue[]) {
  return { ...(typeof sql === 'string' ? { text: sql } : sql), values: [...values] };
}

async function inTransaction<T>(
  pool: Pool,
  work: (query: Query) => Promise<T>,
  { longestPauseMs }: TransactionOptions,
): Promise<T> {
  const limit =
    longestPauseMs === undefined ? '' : `; set local idle_in_transaction_session_timeout to ${longestPauseMs}`;
  const client: PoolClient = await pool.connect();
  let failure: Error | undefined;
  // A connection that ends between two statements rejects the next one; without a listener the process would exit.
  const ignore = () => undefined;
  client.on('error', ignore);
  try {
    await client.query(`begin${limit}`);
    const result = await work(async (sql, values = []) => (await client.query(queryOf(sql, values))).rows);
    await client.query('commit');
    return result;
  } catch (error) {
    // A failed rollback leaves the connection in an unknown state: it is not used again.
    await client.query('rollback').catch((broken: Error) => {
      failure = broken;
    });
    throw error;
  } finally {
    client.off('error', ignore);
    client.release(failure);
  }
}

/** Returns the SQLSTATE of an error of PostgreSQL, or the code of an error of the connection. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Returns the error of a statement or a connection that failed. `address` names the database. */
function postgresFailure(address: string, error: unknown): ToolwrightError {
  if (error instanceof ToolwrightError) return error;
  const code = codeOf(error);
  if (code === 'TW001') {
    const message = `An entry of PostgreSQL at ${address} is not a counter: it must be a whole number. Delete the entry.`;
    return new ToolwrightError('STORE_UNAVAILABLE', message, { cause: error });
  }
  const fix = FIXES[code] ?? FIXES[code.slice(0, 2)] ?? OTHER_FIX;
  const text = `PostgreSQL at ${address} failed: ${textOf(error)}. ${fix}`;
  const details = code === '53100' ? { errno: 'ENOSPC', disk: 'database' } : {};
  return new ToolwrightError('STORE_UNAVAILABLE', text, { cause: error, details });
}

/** Returns whether a connection ended, so that a repeated read may succeed on another one. */
function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  return /^(57P0[12]|08\w{3}|ECONNRESET|EPIPE)$/.test(code) || /Connection terminated/i.test(messageOf(error));
}

/** Errors of several addresses of one host have an empty message. */
function textOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return messageOf(first).replace(/\.$/, '');
}
