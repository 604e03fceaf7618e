import { inSlices, mapInSlices, PART_ITEMS, type Steps } from '../slices.ts';
import { type LogEntry, openChangeLog } from './change-log.ts';
import type { FoundValue } from './found-value.ts';
import type { Keyring } from './keys/master-key.ts';
import { createKey, KEY_ENTRY, namespaceOf, openKey, type SessionKey, type VaultOwner } from './keys/session-key.ts';
import { type Reader, readRecords } from './records/read-records.ts';
import type { Known } from './records/record.ts';
import { createRecordCache, type KnownValues } from './records/record-cache.ts';
import type { Change, Lifetime, Store } from './store.ts';

/** The lifetime is renewed at the latest after this fraction (1/20) of the idle time. */
const TOUCH_SHARE = 20;

/**
 * The cached state of a vault in this process. Every process appends its changes to a log in the store. One small read
 * therefore detects a change by another process, and a value forgotten there is forgotten here.
 */
export interface Contents {
  readonly namespace: string;
  /** Reads changes from the store and returns the session's key. Returns `undefined` without a vault, unless `create` is set. */
  current(create?: boolean): Promise<SessionKey | undefined>;
  /** Returns the records that exist, by name. Call `current` before. */
  load(session: SessionKey, names: readonly string[]): Promise<ReadonlyMap<string, Known>>;
  /** Returns the placeholder name of a cached value. */
  nameOf(type: string, numeric: boolean, canonical: string): string | undefined;
  /** Returns the placeholder name of a cached value that has this spelling, by this server if there is one. */
  heldName(value: FoundValue, source: string | undefined): string | undefined;
  /** Checks whether any process has announced this name. Its number must not be used again. */
  isIssued(name: string): boolean;
  /** Returns the key of the entry with the record of a name. */
  placeOf(name: string): string;
  /** Adds a record that this process has written. */
  add(known: Known): void;
  /**
   * Writes changes and, in the same step, announces new or changed names to all processes. Returns for each change whether it
   * was written. Returns `undefined` if the vault was lost or its key was wrapped again meanwhile: call `current` and retry.
   */
  write(session: SessionKey, changes: readonly Change[], entry: LogEntry): Promise<boolean[] | undefined>;
  /** Returns at once whether the vault has no values. False where only its store knows. */
  isEmpty(): boolean;
  /** Returns all values of the session, also those that other processes have added. */
  all(): Promise<KnownValues>;
  /** Returns all values as of the last look at the store, or undefined if some were not read yet. */
  latest(): KnownValues | undefined;
  /** Removes a deleted record from the cache. */
  drop(name: string): void;
  /** Deletes the vault with its key. Copies of the store are unreadable without the key. */
  destroy(): Promise<void>;
}

export interface ContentsOptions {
  readonly store: Store;
  readonly keys: Keyring;
  readonly owner: VaultOwner;
  readonly lifetime: Lifetime;
  readonly resumed: boolean;
  /** Whether placeholders have numbers from outside of the vault, which are used once. */
  readonly isNumbered: boolean;
}

/** Returns the contents of a vault. The first call of a method reads from the store. */
export function openContents(options: ContentsOptions): Contents {
  const { store, owner, lifetime } = options;
  const namespace = namespaceOf(owner);
  const cache = createRecordCache();
  const log = openChangeLog(store, namespace);
  const touch = openTouch(store, namespace, lifetime);
  const oneByOne = oneAtATime();
  const reader = { store, namespace, owner, cache, log };
  let session: SessionKey | undefined;
  let mayHaveIssued = options.resumed;

  function reset(): void {
    if (session) mayHaveIssued = true;
    session = undefined;
    cache.clear();
    log.rewind();
    touch.reset();
  }

  async function look(create: boolean): Promise<SessionKey | undefined> {
    let [wrapped, entry] = await store.get(namespace, [KEY_ENTRY, log.nextKey()]);
    let opened = session;
    if (wrapped === undefined || !session?.wrapped.equals(wrapped)) {
      if (wrapped === undefined && session) reset();
      if (wrapped === undefined && !create) return undefined;
      if (wrapped === undefined) {
        const resumed = mayHaveIssued && !options.isNumbered;
        wrapped = await createKey(store, owner, options.keys, { resumed, lifetime });
      }
      opened = openKey(wrapped, owner, options.keys);
      // A rotation wraps the same key again: the cache stays valid.
      if (!session?.records.id.equals(opened.records.id)) {
        reset();
        [entry] = await store.get(namespace, [log.nextKey()]);
      }
    }
    if (entry) await log.read(cache.invalidate);
    // The names of all records are known now.
    session = opened;
    await touch.renew();
    return session;
  }

  async function all(): Promise<KnownValues> {
    const current = await look(false);
    if (current === undefined) return cache.values();
    await readRecords(reader, current, cache.stale());
    return cache.settle();
  }

  return {
    namespace,
    add: cache.add,
    drop: cache.invalidate,
    nameOf: cache.nameOf,
    heldName: cache.heldName,
    latest: () => (session && !cache.hasStale() ? cache.values() : undefined),
    current: (create = false) => oneByOne(() => look(create)),
    isIssued: log.isLogged,
    placeOf: log.placeOf,
    load: async (current, names) => {
      // A read at the same time as a look at the log could add a record that another process has forgotten.
      const missing = await inSlices(missingSteps(reader, names));
      if (missing.length > 0) await oneByOne(() => readRecords(reader, current, missing));
      return cached(reader, names);
    },
    write: (current, changes, entry) => oneByOne(() => writeChanges(reader, lifetime, current, changes, entry)),
    isEmpty: () => session === undefined && store.isEmpty?.(namespace) === true,
    all: () => oneByOne(all),
    destroy: () =>
      oneByOne(async () => {
        await store.delete(namespace);
        mayHaveIssued = true;
        reset();
      }),
  };
}

/** Returns a function that runs one work after the other: each call of a tool asks the vault. `p-limit` needs eight promises for a work. */
function oneAtATime(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> | undefined;
  return (work) => {
    const turn = last ? last.then(work, work) : work();
    const end = () => {
      if (last === turn) last = undefined;
    };
    last = turn;
    turn.then(end, end);
    return turn;
  };
}

/** Renews the lifetime of a namespace while it is used. */
function openTouch(store: Store, namespace: string, lifetime: Lifetime) {
  let touchedAt = Number.NEGATIVE_INFINITY;
  return {
    reset() {
      touchedAt = Number.NEGATIVE_INFINITY;
    },
    async renew() {
      if (lifetime.idleMs === undefined || performance.now() - touchedAt < lifetime.idleMs / TOUCH_SHARE) return;
      await store.touch(namespace, lifetime);
      touchedAt = performance.now();
    },
  };
}

/** Writes changes if the key is still the same, and appends to the log in any case. */
async function writeChanges(
  { store, namespace, cache, log }: Reader,
  lifetime: Lifetime,
  { wrapped }: SessionKey,
  changes: readonly Change[],
  entry: LogEntry,
): Promise<boolean[] | undefined> {
  const sameKey = { key: KEY_ENTRY, value: wrapped, was: wrapped };
  const [isSameKey, isLogged, ...written] = await store.put(
    namespace,
    [sameKey, log.changeOf(entry), ...changes],
    lifetime,
  );
  for (let logged = isLogged; !logged; ) {
    await log.read(cache.invalidate);
    [logged] = await store.put(namespace, [log.changeOf(entry)], lifetime);
  }
  log.skip(entry);
  return isSameKey ? written : undefined;
}

function* missingSteps({ cache }: Reader, names: readonly string[]): Steps<string[]> {
  const missing: string[] = [];
  for (const [index, name] of names.entries()) {
    if (index % PART_ITEMS === PART_ITEMS - 1) yield;
    if (cache.get(name) === undefined) missing.push(name);
  }
  return missing;
}

async function cached({ cache }: Reader, names: readonly string[]): Promise<ReadonlyMap<string, Known>> {
  const records = new Map<string, Known>();
  await mapInSlices(names, (name) => {
    const known = cache.get(name);
    if (known) records.set(name, known);
  });
  return records;
}
