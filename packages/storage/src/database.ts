import { createHash } from 'node:crypto';

/** A value of a statement. */
export type SqlValue = string | number | bigint | boolean | Date | Buffer | null | readonly SqlValue[];

/** One row of a result. */
export type Row = Readonly<Record<string, unknown>>;

/** A statement that each connection parses and plans once. */
export interface Prepared {
  readonly name: string;
  readonly text: string;
}

/** Runs one statement, which is one step of a transaction. */
export type Query = (sql: string | Prepared, values?: readonly SqlValue[]) => Promise<readonly Row[]>;

/**
 * The tables of one machine or of a cluster. Statements are those of PostgreSQL: `sqlite/dialect.ts` lists the
 * constructs that SQLite lacks. Statements reject with `STORE_UNAVAILABLE` while the database does not answer, and with `CLOSED` after the end.
 */
export interface Database extends AsyncDisposable {
  readonly engine: 'postgres' | 'sqlite';
  /** The place without user and password: for error messages. */
  readonly address: string;
  /** The URL with its password: for another connection to the same database. */
  readonly url: string;
  /**
   * Runs a statement that changes data. It is not repeated: the database may have executed it before the connection ended. With `isFlushed`,
   * an acknowledged change survives a power cut, as each change of PostgreSQL does; without, a crash of the process.
   */
  write(
    sql: string | Prepared,
    values?: readonly SqlValue[],
    options?: { readonly isFlushed?: boolean },
  ): Promise<readonly Row[]>;
  /** Runs a statement that only reads. */
  read: Query;
  /** Runs statements in one transaction, which is rolled back when `work` rejects. `work` uses no other method of the database. */
  transaction<T>(work: (query: Query) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

export interface TransactionOptions {
  /** As for a statement. */
  readonly isFlushed?: boolean;
  /**
   * Milliseconds between two statements after which PostgreSQL rolls the transaction back: a stopped process must not hold locks for which
   * others wait. Default: no limit.
   */
  readonly longestPauseMs?: number;
}

/** The client of PostgreSQL refuses two texts with one name. */
const NAME_CHARACTERS = 32;

/** Returns a statement that each connection keeps until its end: for few statements with constant texts that run all the time. */
export function prepared(text: string): Prepared {
  return { name: createHash('sha256').update(text).digest('hex').slice(0, NAME_CHARACTERS), text };
}

/** Returns a database whose first statement waits for a preparation. A failed one is tried again with the next statement. */
export function preparedBy(database: Database, prepare: () => Promise<void>): Database {
  let preparing: Promise<void> | undefined;
  const ready = async () => {
    preparing ??= prepare();
    await preparing.catch((error: unknown) => {
      preparing = undefined;
      throw error;
    });
  };
  return {
    ...database,
    read: (...statement) => ready().then(() => database.read(...statement)),
    write: (...statement) => ready().then(() => database.write(...statement)),
    transaction: (...work) => ready().then(() => database.transaction(...work)),
  };
}
