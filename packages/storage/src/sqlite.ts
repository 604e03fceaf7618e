import { createDatabase, openTables } from './sqlite/sqlite-tables.ts';
import { DEFAULT_WAIT_MS, sqliteSteps } from './sqlite/steps.ts';
import { type Entry, PAGE_ENTRIES, type Store } from './store.ts';

export interface SqliteStoreOptions {
  /** The database file. The store creates it and its folder, readable by this user only. */
  readonly path: string;
  /** Milliseconds to wait while another process writes. Default: 5,000. */
  readonly waitMs?: number;
}

const STORE = { create: createDatabase, open: openTables };

/**
 * Creates a store in one file, which several processes of one machine can use at once. An acknowledged write survives a
 * crash and a power cut. The file is opened when it is first used, and again after a failure. All stores of this process that
 * use one file share a connection. Calls reject with `STORE_UNAVAILABLE` while the file is locked or unreadable.
 */
export function sqliteStore({ path, waitMs = DEFAULT_WAIT_MS }: SqliteStoreOptions): Store {
  const { step, close } = sqliteSteps({ path, waitMs, kind: STORE });
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
    [Symbol.asyncDispose]: close,
  };
}
