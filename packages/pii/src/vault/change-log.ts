import { pauseIfSpent } from '../slices.ts';
import { pageEntry, recordEntry } from './page.ts';
import type { Change, Store } from './store.ts';

const LOG_PREFIX = 'log:';
/** Entries of the log that one call reads ahead. */
const LOG_PAGE = 500;

/** An entry of the log: new names by the id of their page, or names of changed records. */
export type LogEntry = Readonly<Record<string, readonly string[]>> | readonly string[];

/** The log of changes that all processes append to. Its first entry with a name decides where the record of the name is. */
export interface ChangeLog {
  /** Returns the key of the entry after the last one that was read. */
  nextKey(): string;
  /** Reads all new entries and calls `onChange` with each name in them. */
  read(onChange: (name: string) => void): Promise<void>;
  /** Returns the change that appends an entry, if no other process has appended one since. */
  changeOf(entry: LogEntry): Change;
  /** Skips the entry that this process has appended itself. */
  skip(entry: LogEntry): void;
  /** Starts at the first entry again. */
  rewind(): void;
  /** Checks whether an entry has this name. Its number must not be used again. */
  isLogged(name: string): boolean;
  /** Returns the key of the entry with the record of a name. */
  placeOf(name: string): string;
}

/** Returns a reader of the log, which starts at the first entry. */
export function openChangeLog(store: Store, namespace: string): ChangeLog {
  const places = new Map<string, string>();
  let position = 0;
  const nextKey = () => `${LOG_PREFIX}${position + 1}`;

  function add(entry: LogEntry, onChange: (name: string) => void): void {
    const isOfChanges = Array.isArray(entry);
    for (const [page, names] of isOfChanges ? [['', entry] as const] : Object.entries(entry)) {
      const place = pageEntry(page);
      for (const name of names) {
        // The earlier format has an entry for each record.
        if (!places.has(name)) places.set(name, isOfChanges ? recordEntry(name) : place);
        onChange(name);
      }
    }
    position += 1;
  }

  return {
    nextKey,
    async read(onChange) {
      for (let page = 1; ; page = LOG_PAGE) {
        const keys = Array.from({ length: page }, (_, index) => `${LOG_PREFIX}${position + 1 + index}`);
        const entries = (await store.get(namespace, keys)).filter((entry) => entry !== undefined);
        for (const entry of entries) {
          await pauseIfSpent();
          add(Object(JSON.parse(entry.toString())), onChange);
        }
        if (entries.length < page) return;
      }
    },
    changeOf: (entry) => ({ key: nextKey(), value: JSON.stringify(entry), was: null }),
    skip: (entry) => add(entry, () => undefined),
    rewind() {
      position = 0;
      places.clear();
    },
    isLogged: (name) => places.has(name),
    placeOf: (name) => places.get(name) ?? recordEntry(name),
  };
}
