import { createRequire } from 'node:module';
import { ToolwrightError } from '../errors.ts';
import { nativeCall } from './native-calls.ts';

/** The common part of both SQLite libraries, as far as Toolwright uses it. */
export interface Driver {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): unknown;
}

export interface Statement {
  get(...values: (string | number | Uint8Array | null)[]): unknown;
  all(...values: (string | number | Uint8Array | null)[]): unknown[];
  run(...values: (string | number | Uint8Array | null)[]): unknown;
}

const require = createRequire(import.meta.url);

/**
 * Opens a database file with the SQLite of Node where it has one (22.13 and later), else with libsql. Raises
 * `STORE_UNAVAILABLE` where the native part of libsql is not installed.
 */
export function openDriver(path: string): Driver {
  const builtIn = nodeSqlite();
  if (builtIn) return new builtIn.DatabaseSync(path);
  const Libsql = loadLibsql();
  return libsqlDriver(nativeCall(() => new Libsql(path)));
}

/** Returns the SQLite of Node. Node 22 warns that it is experimental, which readers of a command's errors cannot change. */
function nodeSqlite() {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    // The types are those of the oldest Node, which has no such module.
    return process.getBuiltinModule('node:sqlite') as { DatabaseSync: new (path: string) => Driver } | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Ends a failed transaction. SQLite ends some by itself, as on a full disk. */
export function rollBack(driver: Driver): void {
  try {
    driver.exec('ROLLBACK');
  } catch {
    // There is none.
  }
}

/** Makes each call of libsql a {@link nativeCall}. libsql reads bytes that are the only value of a statement as a list of values: so it gets a list of values. */
function libsqlDriver(driver: Driver): Driver {
  return {
    exec: (sql) => nativeCall(() => driver.exec(sql)),
    prepare(sql) {
      const statement = nativeCall(() => driver.prepare(sql));
      return {
        get: (...values) => nativeCall(() => statement.get(values as never)),
        all: (...values) => nativeCall(() => statement.all(values as never)),
        run: (...values) => nativeCall(() => statement.run(values as never)),
      };
    },
    close: () => nativeCall(() => driver.close()),
  };
}

/** Loads the library when first used: it is native, and not every program has a store. */
function loadLibsql(): new (path: string) => Driver {
  try {
    return require('../libsql.cjs');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const native = code === 'MODULE_NOT_FOUND' ? /'(@(?:libsql|toolwright)\/[\w-]+)'/.exec(message)?.[1] : undefined;
    if (native === undefined) throw cause;
    throw new ToolwrightError(
      'STORE_UNAVAILABLE',
      `The SQLite store needs Node 22.13 or later, or the package ${native}, which is not installed. Run: npm install ${native}`,
      { cause },
    );
  }
}

/** Converts bytes of either library (`Buffer`, `ArrayBuffer` or `Uint8Array`) to a `Buffer`. */
export function toBuffer(value: unknown): Buffer {
  if (Buffer.isBuffer(value)) return value;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof ArrayBuffer ? Buffer.from(value) : Buffer.from(String(value));
}
