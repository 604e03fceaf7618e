import { createRequire } from 'node:module';

/** The part of both SQLite libraries that the store uses. */
export interface Database {
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

/** Opens a database file with Node's own SQLite where there is one (22.5 and later), else with libsql. */
export function openDatabase(path: string): Database {
  // The type definitions are those of the oldest supported Node, which has no such module.
  const builtIn = process.getBuiltinModule('node:sqlite') as
    | { DatabaseSync: new (path: string) => Database }
    | undefined;
  if (builtIn) return new builtIn.DatabaseSync(path);
  // A native library: programs without a SQLite store must not load it.
  const Libsql: new (path: string) => Database = require('libsql');
  return new Libsql(path);
}

/** Converts the bytes that either library returns: a `Buffer`, an `ArrayBuffer` or a `Uint8Array`. */
export function toBuffer(value: unknown): Buffer {
  if (Buffer.isBuffer(value)) return value;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof ArrayBuffer ? Buffer.from(value) : Buffer.from(String(value));
}
