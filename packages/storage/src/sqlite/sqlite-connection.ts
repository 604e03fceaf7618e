import { randomUUID } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isUncreatable } from '../errors.ts';
import { unavailable } from '../store.ts';

/** An open database. */
export interface Opened {
  close(): void;
}

/** The tables of a file. */
export interface FileKind<T extends Opened> {
  /** Creates a complete database. */
  create(path: string): void;
  open(path: string): T;
}

/** One use of the connection that all stores of this process share for one file. */
export interface Connection<T extends Opened> {
  /** Returns the database, opened when needed. Raises the errors of SQLite, and `STORE_UNAVAILABLE` for replaced files. */
  opened(): T;
  /** Runs steps that no other use of the connection interrupts, if all uses that could do so call it. */
  alone<R>(work: () => Promise<R>): Promise<R>;
  /** Closes the file after a failure. The next call opens it again. */
  reset(): void;
  /** Ends this use. The last one closes the file. */
  release(): void;
}

interface Shared<T extends Opened = Opened> {
  readonly path: string;
  readonly kind: FileKind<T>;
  /** The database. */
  readonly file: string;
  tables: T | undefined;
  /** Ends with the last of the steps that run alone. */
  steps: Promise<unknown>;
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

/** Types of network file systems of Linux, by their numbers in `statfs`. */
const NETWORK: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4266872130: 'SMB',
  4283649346: 'SMB',
  1397113167: 'AFS',
  12805120: 'Ceph',
  198183888: 'Lustre',
  18225520: 'GFS2',
};

/** Returns a use of the shared connection. Creates the file and its folder, readable by this user only. */
export function useConnection<T extends Opened>(path: string, kind: FileKind<T>): Connection<T> {
  let shared = share(path, kind);
  return {
    opened() {
      // A file that could not be opened may have been repaired or replaced.
      if (shared.tables === undefined && identityOf(path) !== shared.file) {
        release(shared);
        shared = share(path, kind);
      }
      return tablesOf(shared);
    },
    alone(work) {
      const own = shared.steps.then(work);
      shared.steps = own.catch(() => undefined);
      return own;
    },
    reset: () => closeTables(shared),
    release: () => release(shared),
  };
}

function share<T extends Opened>(path: string, kind: FileKind<T>): Shared<T> {
  createFile(path, kind);
  const file = identityOf(path);
  const fresh: Shared<T> = { path, kind, file, tables: undefined, files: '', uses: 0, steps: Promise.resolve() };
  // A file has one kind of tables, by its name.
  const shared = (connections.get(file) as Shared<T> | undefined) ?? fresh;
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

function tablesOf<T extends Opened>(shared: Shared<T>): T {
  if (areReplaced(shared)) {
    const message = `The files of the SQLite store were replaced or deleted while in use: ${shared.path}. Restart Toolwright.`;
    throw unavailable(message, undefined);
  }
  if (shared.tables === undefined) {
    shared.tables = shared.kind.open(shared.path);
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
function createFile(path: string, { create }: FileKind<Opened>): void {
  const folder = dirname(path);
  if (isUncreatable(folder))
    throw unavailable(`The folder ${folder} cannot be created. Choose another path.`, undefined);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  requireLocal(folder);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    const aside = `${path}.${randomUUID()}`;
    try {
      create(aside);
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

/**
 * Raises `STORE_UNAVAILABLE` for a folder on a network file system: processes of several machines share no memory, which the index of the
 * write-ahead log needs. Other systems than Linux are not checked.
 */
export function requireLocal(folder: string, typeOf: (folder: string) => number = typeOfFileSystem): void {
  const name = NETWORK[typeOf(folder)];
  if (name === undefined) return;
  const message = `The folder ${folder} of the SQLite store is on a network file system (${name}), where SQLite can lose data. Set dataDir or TOOLWRIGHT_DATA_DIR to a folder on a local disk, or use a postgres:// store.`;
  throw unavailable(message, undefined);
}

function typeOfFileSystem(folder: string): number {
  return process.platform === 'linux' ? statfsSync(folder).type : 0;
}
