import { randomUUID } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isUncreatable } from '../../errors.ts';
import { unavailable } from '../store.ts';
import { createDatabase, openTables, type Tables } from './sqlite-tables.ts';

/** One use of the connection that all stores of this process share for one file. */
export interface Connection {
  /** Returns the tables, opened when needed. Raises the errors of SQLite, and `STORE_UNAVAILABLE` for replaced files. */
  tables(): Tables;
  /** Closes the file after a failure. The next call opens it again. */
  reset(): void;
  /** Ends this use. The last one closes the file. */
  release(): void;
}

interface Shared {
  readonly path: string;
  /** The database. */
  readonly file: string;
  tables: Tables | undefined;
  /** The database and the files next to it, when they were opened. */
  files: string;
  uses: number;
}

/** The database, its write-ahead log and the index of that log. */
const FILES = ['', '-wal', '-shm'];

/**
 * The connections of this process, by the identity of the file. Closing any descriptor of a file ends all locks of the process
 * on it (POSIX). Other processes would then remove the write-ahead log that this process still writes to. So a process has one
 * connection for each file, and never opens the file in another way.
 */
const connections = new Map<string, Shared>();

/** Returns a use of the shared connection. Creates the file and its folder, readable by this user only. */
export function useConnection(path: string): Connection {
  let shared = share(path);
  return {
    tables() {
      // A file that could not be opened may have been repaired or replaced.
      if (shared.tables === undefined && identityOf(path) !== shared.file) {
        release(shared);
        shared = share(path);
      }
      return tablesOf(shared);
    },
    reset: () => closeTables(shared),
    release: () => release(shared),
  };
}

function share(path: string): Shared {
  createFile(path);
  const file = identityOf(path);
  const shared = connections.get(file) ?? { path, file, tables: undefined, files: '', uses: 0 };
  connections.set(file, shared);
  shared.uses += 1;
  return shared;
}

function release(shared: Shared): void {
  shared.uses -= 1;
  if (shared.uses > 0) return;
  closeTables(shared);
  if (shared.tables === undefined) connections.delete(shared.file);
}

function tablesOf(shared: Shared): Tables {
  if (areReplaced(shared)) {
    const message = `The files of the SQLite store were replaced or deleted while in use: ${shared.path}. Restart Toolwright.`;
    throw unavailable(message, undefined);
  }
  if (shared.tables === undefined) {
    shared.tables = openTables(shared.path);
    shared.files = filesOf(shared.path);
  }
  return shared.tables;
}

/** Returns whether other files are now at the paths of an open database. */
function areReplaced({ path, tables, files }: Shared): boolean {
  return tables !== undefined && filesOf(path) !== files;
}

/** Leaves a replaced database open: closing it would change the files that are now at its paths. */
function closeTables(shared: Shared): void {
  if (areReplaced(shared)) return;
  shared.tables?.close();
  shared.tables = undefined;
}

/**
 * Creates a complete database under another name and links it: a file without tables is damaged, never new. SQLite gives the
 * files next to it (`-wal`, `-shm`) the mode of the database.
 */
function createFile(path: string): void {
  const folder = dirname(path);
  if (isUncreatable(folder))
    throw unavailable(`The folder ${folder} cannot be created. Choose another path.`, undefined);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    const aside = `${path}.${randomUUID()}`;
    try {
      createDatabase(aside);
      restrict(aside);
      linkSync(aside, path);
    } catch (error) {
      if (Object(error).code !== 'EEXIST') throw error;
    } finally {
      rmSync(aside, { force: true });
    }
  }
  restrict(path);
}

function restrict(path: string): void {
  if (process.platform !== 'win32') chmodSync(path, 0o600);
}

function filesOf(path: string): string {
  return FILES.map((end) => identityOf(path + end)).join(' ');
}

/** Returns the same text for all names of a file. */
function identityOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : 'absent';
}
