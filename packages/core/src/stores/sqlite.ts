import { setTimeout as sleep } from 'node:timers/promises';
import { requireDescriptors } from '@toolwright/sandbox/processes';
import { isDiskFull, isDiskShort, messageOf, ToolwrightError } from '../errors.ts';
import { type Connection, useConnection } from './sqlite/sqlite-connection.ts';
import type { Tables } from './sqlite/sqlite-tables.ts';
import { type Entry, PAGE_ENTRIES, type Store, unavailable } from './store.ts';

export interface SqliteStoreOptions {
  /** The database file. The store creates it and its folder, readable by this user only. */
  readonly path: string;
  /** Milliseconds to wait while another process writes. Default: 5,000. */
  readonly waitMs?: number;
}

/** The database, its log, the index of the log, and the folder. */
const FILES = 4;
const DEFAULT_WAIT_MS = 5_000;
const FIRST_RETRY_MS = 2;
const LONGEST_RETRY_MS = 100;

/**
 * Creates a store in one file, which several processes of one machine can use at once. An acknowledged write survives a
 * crash and a power cut. The file is opened when it is first used, and again after a failure. All stores of this process that
 * use one file share a connection. Calls reject with `STORE_UNAVAILABLE` while the file is locked or unreadable.
 */
export function sqliteStore({ path, waitMs = DEFAULT_WAIT_MS }: SqliteStoreOptions): Store {
  let connection: Connection | undefined;
  let closed = false;

  /** Runs one step on the database. Retries while another process holds the lock, without blocking the event loop. */
  async function step<T>(work: (tables: Tables) => T): Promise<T> {
    const deadline = performance.now() + waitMs;
    for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)) {
      if (closed) throw new ToolwrightError('CLOSED', 'This store is closed.');
      try {
        connection ??= useConnection(path);
        return work(connection.tables());
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
  }

  return {
    name: 'sqlite',
    get: (namespace, keys) => step((open) => open.get(namespace, keys)),
    put: (namespace, changes, lifetime) => step((open) => open.put(namespace, changes, lifetime)),
    increment: (namespace, amounts, lifetime) => step((open) => open.increment(namespace, amounts, lifetime)),
    delete: (namespace, keys) => step((open) => open.delete(namespace, keys)),
    touch: (namespace, lifetime) => step((open) => open.touch(namespace, lifetime)),
    remaining: (namespace) => step((open) => open.remaining(namespace)),
    async *list(namespace) {
      let page: Entry[] = [];
      do {
        const after = page.at(-1)?.key;
        page = await step((open) => open.page(namespace, after, PAGE_ENTRIES));
        if (page.length > 0) yield page;
      } while (page.length === PAGE_ENTRIES);
    },
    async *namespaces(prefix) {
      yield* await step((open) => open.namespaces(prefix));
    },
    check: ({ complete = false } = {}) => step((open) => open.check(complete)),
    async [Symbol.asyncDispose]() {
      closed = true;
      connection?.release();
      connection = undefined;
    },
  };
}

function failed(path: string, error: unknown): ToolwrightError {
  const text = messageOf(error);
  // Without space or inodes, SQLite can neither create the files next to the database nor make them larger.
  if (isDiskFull(error) || (/unable to open|disk i\/o error/i.test(text) && isDiskShort(path))) {
    const message = `The disk of the SQLite store ${path} is full (${text}). Free space or inodes there (see "df -h" and "df -i").`;
    return new ToolwrightError('STORE_UNAVAILABLE', message, { cause: error, details: { errno: 'ENOSPC' } });
  }
  if (/unable to open/i.test(text)) requireDescriptors(FILES);
  const isDamaged = /malformed|not a database|no such table|no such column/i.test(text);
  const fix = isDamaged
    ? `Restore ${path} from a backup. Or move it away: its API keys and placeholders are then lost.`
    : `Check the file ${path}.`;
  return unavailable(`The SQLite store failed: ${text}. ${fix}`, error);
}
