import type { Change, Store } from './store.ts';

const LOG_PREFIX = 'log:';
/** Entries of the log that one call reads ahead. */
const LOG_PAGE = 500;

/** The log of changes that all processes append to. Each entry holds the names of the changed placeholders. */
export interface ChangeLog {
  /** Returns the key of the entry after the last one that was read. */
  nextKey(): string;
  /** Reads all new entries and calls `onChange` with each name in them. */
  read(onChange: (name: string) => void): Promise<void>;
  /** Returns the change that appends an entry, if no other process has appended one since. */
  entryOf(names: readonly string[]): Change;
  /** Skips the entry that this process has appended itself. */
  skip(): void;
  /** Starts at the first entry again. */
  rewind(): void;
}

/** Returns a reader of the log, which starts at the first entry. */
export function openChangeLog(store: Store, namespace: string): ChangeLog {
  let position = 0;
  const nextKey = () => `${LOG_PREFIX}${position + 1}`;

  return {
    nextKey,
    async read(onChange) {
      for (let page = 1; ; page = LOG_PAGE) {
        const keys = Array.from({ length: page }, (_, index) => `${LOG_PREFIX}${position + 1 + index}`);
        const entries = (await store.get(namespace, keys)).filter((entry) => entry !== undefined);
        for (const entry of entries) for (const name of Object(JSON.parse(entry.toString()))) onChange(name);
        position += entries.length;
        if (entries.length < page) return;
      }
    },
    entryOf: (names) => ({ key: nextKey(), value: JSON.stringify(names), was: null }),
    skip() {
      position += 1;
    },
    rewind() {
      position = 0;
    },
  };
}
