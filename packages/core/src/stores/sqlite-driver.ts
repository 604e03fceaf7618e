import { createRequire } from 'node:module';

/** What both SQLite libraries give, as far as it is used here. */
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

/** Opens a database file with the SQLite of Node where it has one (22.5 and later), else with libsql. */
export function openDatabase(path: string): Database {
  // The types are those of the oldest Node, which has no such module.
  const builtIn = process.getBuiltinModule('node:sqlite') as
    | { DatabaseSync: new (path: string) => Database }
    | undefined;
  if (builtIn) return new builtIn.DatabaseSync(path);
  // Loaded when first used: it is a native library, and not every program has a store.
  const Libsql: new (path: string) => Database = require('libsql');
  return new Libsql(path);
}

/** Bytes as either library gives them: one as `Buffer`, `ArrayBuffer` or `Uint8Array`. */
export function toBuffer(value: unknown): Buffer {
  if (Buffer.isBuffer(value)) return value;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof ArrayBuffer ? Buffer.from(value) : Buffer.from(String(value));
}
