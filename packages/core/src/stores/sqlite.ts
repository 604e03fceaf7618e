import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, ToolwrightError } from '../errors.ts';
import { openTables, type Tables } from './sqlite-tables.ts';
import { type Entry, PAGE_ENTRIES, type Store, unavailable } from './store.ts';

export interface SqliteStoreOptions {
  /** The database file. It is created, readable by this user alone, with its folder. */
  readonly path: string;
  /** How long to wait while another process writes, in milliseconds. Default: 5,000. */
  readonly waitMs?: number;
}

const DEFAULT_WAIT_MS = 5_000;
const FIRST_RETRY_MS = 2;
const LONGEST_RETRY_MS = 100;

/**
 * State in one file that several processes of one machine use at once. What is answered as written survives a crash and
 * a power cut. The file is opened when first needed, and again after a failure. While it is locked or unreadable, calls
 * reject with `STORE_UNAVAILABLE`.
 */
export function sqliteStore({ path, waitMs = DEFAULT_WAIT_MS }: SqliteStoreOptions): Store {
  let tables: Tables | undefined;
  let closed = false;

  /** One step on the database; it is tried again while another process holds the lock, and the event loop stays free. */
  async function step<T>(work: (tables: Tables) => T): Promise<T> {
    const deadline = performance.now() + waitMs;
    for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)) {
      if (closed) throw new ToolwrightError('CLOSED', 'This store is closed.');
      try {
        tables ??= open(path);
        return work(tables);
      } catch (error) {
        if (error instanceof ToolwrightError) throw error;
        if (!/locked|busy/i.test(messageOf(error))) {
          tables?.close();
          tables = undefined;
          throw unavailable(`The SQLite store cannot be used: ${messageOf(error)}. Check the file ${path}.`, error);
        }
        if (performance.now() > deadline) {
          throw unavailable(`The SQLite store was locked for ${waitMs} ms: end what else writes to ${path}.`, error);
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
    async [Symbol.asyncDispose]() {
      closed = true;
      tables?.close();
      tables = undefined;
    },
  };
}

/** The files beside it (`-wal`, `-shm`) get the mode of the database from SQLite. */
function open(path: string): Tables {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  if (process.platform !== 'win32') chmodSync(path, 0o600);
  return openTables(path);
}
