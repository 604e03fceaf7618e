import { randomUUID } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { requireDescriptors } from '@toolwright/sandbox/processes';
import { isDiskFull, isDiskShort, isUncreatable, messageOf, ToolwrightError } from '../errors.ts';
import { unavailable } from '../store.ts';

export interface StepsOptions<T extends Opened> {
  readonly path: string;
  /** Milliseconds to wait while another process writes. */
  readonly waitMs: number;
  readonly kind: FileKind<T>;
}

/** Steps on a file that several processes of one machine use. */
export interface Steps<T> {
  /**
   * Runs one step. Retries while another process holds the lock, without blocking the event loop. Rejects with `STORE_UNAVAILABLE` while the
   * file is locked or unreadable, and with `CLOSED` after the end. The file is opened at the first step, and again after a failure.
   */
  step<R>(work: (opened: T) => R): Promise<R>;
  /** Runs steps that no other user of this process interrupts. */
  alone<R>(work: () => Promise<R>): Promise<R>;
  /** Closes the file after the steps that run alone. Opens and creates none. */
  close(): Promise<void>;
}

/** The database, its log, the index of the log, and the folder. */
const DESCRIPTORS = 4;
const FIRST_RETRY_MS = 2;
const LONGEST_RETRY_MS = 100;
export const DEFAULT_WAIT_MS = 5_000;

/** Prepares steps on a file. All users of this process share a connection. */
export function sqliteSteps<T extends Opened>({ path, waitMs, kind }: StepsOptions<T>): Steps<T> {
  let connection: Connection<T> | undefined;
  let isClosed = false;
  const use = () => {
    if (isClosed) throw closed();
    try {
      connection ??= useConnection(path, kind);
      return connection;
    } catch (error) {
      throw error instanceof ToolwrightError ? error : failed(path, error);
    }
  };
  return {
    async step(work) {
      const deadline = performance.now() + waitMs;
      for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)) {
        try {
          return work(use().opened());
        } catch (error) {
          if (error instanceof ToolwrightError) throw error;
          if (!/locked|busy/i.test(messageOf(error))) {
            connection?.reset();
            throw failed(path, error);
          }
          if (performance.now() > deadline) {
            throw unavailable(
              `The SQLite store was locked for ${waitMs} ms. End the other process that writes to ${path}.`,
              error,
            );
          }
          await sleep(retryMs);
        }
      }
    },
    alone: async (work) => use().alone(work),
    async close() {
      await connection?.alone(async () => undefined);
      isClosed = true;
      connection?.release();
      connection = undefined;
    },
  };
}

/** Returns the error of a step after the end. */
export function closed(): ToolwrightError {
  return new ToolwrightError('CLOSED', 'This store is closed.');
}

function failed(path: string, error: unknown): ToolwrightError {
  const text = messageOf(error);
  // Without space or inodes, SQLite can neither create the files next to the database nor make them larger.
  if (isDiskFull(error) || (/unable to open|disk i\/o error/i.test(text) && isDiskShort(path))) {
    const message = `The disk of the SQLite store ${path} is full (${text}). Free space or inodes there (see "df -h" and "df -i").`;
    return new ToolwrightError('STORE_UNAVAILABLE', message, { cause: error, details: { errno: 'ENOSPC' } });
  }
  if (/unable to open/i.test(text)) requireDescriptors(DESCRIPTORS);
  return unavailable(`The SQLite store failed: ${text}. ${fixOf(path, text)}`, error);
}

function fixOf(path: string, text: string): string {
  if (/malformed|not a database|no such table|no such column/i.test(text))
    return `Restore ${path} from a backup. Or move it away: its contents, such as API keys, placeholders or tasks, are then lost.`;
  if (/readonly|read-only/i.test(text)) return `Make ${path} and its folder writable.`;
  return /unable to open/i.test(text)
    ? `Check that ${path} is a file, and that this user can read and write it.`
    : `Check the file ${path}.`;
}

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
