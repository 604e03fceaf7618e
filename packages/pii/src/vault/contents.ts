import pLimit from 'p-limit';
import { mapInSlices } from '../slices.ts';
import { type ChangeLog, openChangeLog } from './change-log.ts';
import type { FoundValue } from './found-value.ts';
import type { Keyring } from './master-key.ts';
import { type Known, openRecord } from './record.ts';
import { createRecordCache, type KnownValues, type RecordCache } from './record-cache.ts';
import { keyIdOf, type SealingKey } from './sealing.ts';
import { createKey, KEY_ENTRY, namespaceOf, openKey, type SessionKey, type VaultOwner } from './session-key.ts';
import type { Change, Lifetime, Store } from './store.ts';

/** Records that are read or written in one call. The store in a file writes them in about 3 ms without a pause. */
export const BATCH_RECORDS = 250;
const RECORD_PREFIX = 'record:';
/** The lifetime is renewed at the latest after this fraction (1/20) of the idle time. */
const TOUCH_SHARE = 20;

/** Returns the key of a record's entry in the store. */
export function recordEntry(name: string): string {
  return RECORD_PREFIX + name;
}

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
  /** Adds a record that this process has written. */
  add(known: Known): void;
  /**
   * Writes changes and, in the same step, announces the changed names to all processes. Returns for each change whether it
   * was written. Returns `undefined` if the vault was lost or its key was wrapped again meanwhile: call `current` and retry.
   */
  write(session: SessionKey, changes: readonly Change[], names: readonly string[]): Promise<boolean[] | undefined>;
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
  const oneByOne = pLimit(1);
  const reader = { store, namespace, owner, cache };
  let session: SessionKey | undefined;
  let mayHaveIssued = options.resumed;
  let isComplete = false;

  function reset(): void {
    if (session) mayHaveIssued = true;
    session = undefined;
    isComplete = false;
    cache.clear();
    log.rewind();
    touch.reset();
  }

  async function look(create: boolean): Promise<SessionKey | undefined> {
    let [wrapped, entry] = await store.get(namespace, [KEY_ENTRY, log.nextKey()]);
    let isNew = false;
    if (wrapped === undefined || !session?.wrapped.equals(wrapped)) {
      if (wrapped === undefined && session) reset();
      if (wrapped === undefined && !create) return undefined;
      if (wrapped === undefined) {
        const resumed = mayHaveIssued && !options.isNumbered;
        ({ wrapped, isNew } = await createKey(store, owner, options.keys, { resumed, lifetime }));
      }
      const opened = openKey(wrapped, owner, options.keys);
      // A rotation wraps the same key again: the cache stays valid.
      if (!session?.records.id.equals(opened.records.id)) {
        reset();
        [entry] = await store.get(namespace, [log.nextKey()]);
      }
      session = opened;
      // A new vault has no records. The log names those that any process adds.
      isComplete ||= isNew;
    }
    if (entry) await log.read(cache.invalidate);
    await touch.renew();
    return session;
  }

  async function all(): Promise<KnownValues> {
    const current = await look(false);
    if (current === undefined) return cache.values();
    if (!isComplete) await readAll(reader, current.records);
    isComplete = true;
    await readRecords(reader, current.records, cache.stale());
    return cache.settle();
  }

  return {
    namespace,
    add: cache.add,
    drop: cache.invalidate,
    nameOf: cache.nameOf,
    heldName: cache.heldName,
    latest: () => (session && isComplete && cache.stale().length === 0 ? cache.values() : undefined),
    current: (create = false) => oneByOne(() => look(create)),
    load: (current, names) => loadRecords(reader, current.records, names),
    write: (current, changes, names) =>
      oneByOne(() => writeChanges({ ...reader, log, lifetime }, current, changes, names)),
    all: () => oneByOne(all),
    destroy: () =>
      oneByOne(async () => {
        await store.delete(namespace);
        mayHaveIssued = true;
        reset();
      }),
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

/** Reads records into a cache. */
interface Reader {
  readonly store: Store;
  readonly namespace: string;
  readonly owner: VaultOwner;
  readonly cache: RecordCache;
}

/** Writes changes if the key is still the same, and appends their names to the log in any case. */
async function writeChanges(
  { store, namespace, cache, log, lifetime }: Reader & { readonly log: ChangeLog; readonly lifetime: Lifetime },
  { wrapped }: SessionKey,
  changes: readonly Change[],
  names: readonly string[],
): Promise<boolean[] | undefined> {
  const sameKey = { key: KEY_ENTRY, value: wrapped, was: wrapped };
  const [isSameKey, isLogged, ...written] = await store.put(
    namespace,
    [sameKey, log.entryOf(names), ...changes],
    lifetime,
  );
  for (let logged = isLogged; !logged; ) {
    await log.read(cache.invalidate);
    [logged] = await store.put(namespace, [log.entryOf(names)], lifetime);
  }
  log.skip();
  return isSameKey ? written : undefined;
}

async function loadRecords(
  reader: Reader,
  key: SealingKey,
  names: readonly string[],
): Promise<ReadonlyMap<string, Known>> {
  const { cache } = reader;
  await readRecords(
    reader,
    key,
    names.filter((name) => cache.get(name) === undefined),
  );
  const records = new Map<string, Known>();
  await mapInSlices(names, (name) => {
    const known = cache.get(name);
    if (known) records.set(name, known);
  });
  return records;
}

async function readRecords(reader: Reader, key: SealingKey, missing: readonly string[]): Promise<void> {
  for (let at = 0; at < missing.length; at += BATCH_RECORDS) {
    const batch = missing.slice(at, at + BATCH_RECORDS);
    const sealed = await reader.store.get(reader.namespace, batch.map(recordEntry));
    await mapInSlices(batch, (name, index) => openInto(reader, key, name, sealed[index]));
  }
}

async function readAll(reader: Reader, key: SealingKey): Promise<void> {
  for await (const page of reader.store.list(reader.namespace)) {
    await mapInSlices(page, ({ key: entry, value }) => {
      if (entry.startsWith(RECORD_PREFIX)) openInto(reader, key, entry.slice(RECORD_PREFIX.length), value);
    });
  }
}

function openInto({ cache, owner }: Reader, key: SealingKey, name: string, sealed: Buffer | undefined): void {
  if (sealed === undefined || cache.get(name) !== undefined) return;
  // A vault that ended while a process wrote to it can leave a record of its old key behind.
  if (keyIdOf(sealed).equals(key.id)) cache.add(openRecord(key, owner, name, sealed));
}
