import { setTimeout as sleep } from 'node:timers/promises';
import { requireDescriptors } from '@toolwright/sandbox/processes';
import { isDiskFull, isDiskShort, messageOf, ToolwrightError } from '../errors.ts';
import { unavailable } from '../store.ts';
import { type Connection, type FileKind, type Opened, useConnection } from './sqlite-connection.ts';

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
const FILES = 4;
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
  if (/unable to open/i.test(text)) requireDescriptors(FILES);
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
