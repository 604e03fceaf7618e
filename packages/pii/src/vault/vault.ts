import pLimit from 'p-limit';
import { PLACEHOLDER_NAME } from '../placeholder.ts';
import { mapInSlices } from '../slices.ts';
import { allocate } from './allocation.ts';
import { canonicalOf, isTransformed, plainOriginal } from './canonical.ts';
import { openContents } from './contents.ts';
import type { FoundValue } from './found-value.ts';
import type { Keyring } from './keys/master-key.ts';
import { keyIdOf } from './keys/sealing.ts';
import { namespaceOf, type SessionKey, type VaultOwner } from './keys/session-key.ts';
import type { Numbers } from './numbers.ts';
import { hasRecords, openPage, sealPage } from './page.ts';
import { indexEntry } from './records/index-entry.ts';
import type { Known } from './records/record.ts';
import { identityOf, type KnownValues } from './records/record-cache.ts';
import type { Entry, Lifetime, Store } from './store.ts';
import type { VaultTarget } from './wanted-value.ts';

export type { FoundValue } from './found-value.ts';
export type { VaultOwner } from './keys/session-key.ts';
export type { Known } from './records/record.ts';
export type { KnownValues } from './records/record-cache.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** How long the values of a session are kept: 30 days after their last use, at most a year. */
const DEFAULT_VAULT_LIFETIME: Lifetime = { idleMs: 30 * DAY_MS, maxMs: 365 * DAY_MS };

export interface VaultOptions extends VaultOwner {
  readonly store: Store;
  readonly keys: Keyring;
  /** Default: `DEFAULT_VAULT_LIFETIME`. */
  readonly lifetime?: Lifetime;
  /**
   * Set for a session that may have issued placeholders before. If the store has lost them, the numbers of the session
   * then start in another range, so that an old placeholder never means another value. Default: false.
   */
  readonly resumed?: boolean;
  /** The numbers of the placeholders. Default: counters of this vault, from 1. */
  readonly numbers?: Numbers;
}

/**
 * The personal data of one session of one user, and its placeholders. A value has one placeholder and a placeholder one
 * value, in all executions and processes, until the value is forgotten. Its number is never used again. All methods reject
 * with `STORE_UNAVAILABLE`, `VAULT_LOCKED` (another master key) or `VAULT_CORRUPT`. Show nothing after such an error.
 */
export interface Vault {
  readonly owner: VaultOwner;
  /**
   * Returns the names of the placeholders of values, in the order of the values, and creates new ones. `source` is the
   * server that returned the values, if a server did. Raises `PII_LIMIT` for more than 50,000 values that the session does not know.
   */
  allocate(values: readonly FoundValue[], source?: string): Promise<string[]>;
  /** Returns values by placeholder name. Names that this session has not issued, or has forgotten, are absent. */
  find(names: readonly string[]): Promise<ReadonlyMap<string, Known>>;
  /** Returns at once whether the session has no values. False where only the store knows. */
  isEmpty(): boolean;
  /**
   * Returns all values of the session, also those that other processes have added. With `isRecent`, the caller has just
   * allocated or found values: those that other processes have added since may be missing.
   */
  known(isRecent?: boolean): Promise<KnownValues>;
  /** Adds to a counter that all processes of the session share, and returns its sum. The store has no name of a counter. */
  count(counter: string, amount: number): Promise<number>;
  /** Forgets a value, given as its placeholder or in any spelling. Returns how many placeholders no longer resolve. */
  forget(value: string): Promise<number>;
  /** Forgets all values of the session and deletes its key. */
  destroy(): Promise<void>;
}

/** Opens the vault of a session. The first call of a method reads from the store. */
export function openVault({ user, session, lifetime = DEFAULT_VAULT_LIFETIME, ...options }: VaultOptions): Vault {
  const { store, keys, resumed = false, numbers } = options;
  const owner = { user, session };
  const contents = openContents({ store, keys, owner, lifetime, resumed, isNumbered: numbers !== undefined });
  const oneByOne = pLimit(1);

  return {
    owner,
    isEmpty: contents.isEmpty,
    async find(names) {
      const current = await contents.current();
      return current ? contents.load(current, names) : new Map();
    },
    async allocate(values, source) {
      if (values.length === 0) return [];
      await contents.current();
      // Most values are known with this spelling and source, and nothing is written for them.
      const held = await mapInSlices(values, (value) => contents.heldName(value, source));
      const open = values.filter((_, index) => held[index] === undefined);
      if (open.length === 0) return mapInSlices(held, (name) => name ?? '');
      const records = await oneByOne(() => allocate({ store, contents, owner, source, numbers }, open));
      let next = 0;
      return mapInSlices(held, (name) => name ?? records[next++]?.name ?? '');
    },
    async known(isRecent = false) {
      return (isRecent ? contents.latest() : undefined) ?? contents.all();
    },
    async count(counter, amount) {
      const current = await contents.current();
      // The counter of an ended session must not create its namespace again.
      if (current === undefined) return 0;
      const key = `used:${current.indexOf('counter', false, counter)}`;
      return (await store.increment(namespaceOf(owner), { [key]: amount }))[key] ?? 0;
    },
    forget: (value) => oneByOne(() => forget({ store, contents, owner }, value)),
    destroy: () => oneByOne(() => contents.destroy()),
  };
}

/**
 * Forgets a value, given as its placeholder or in any spelling, and returns how many placeholders no longer resolve. Removes
 * all records of the value, also one that a process has left which ended in the middle of an allocation.
 */
async function forget(target: VaultTarget, value: string): Promise<number> {
  const { store, contents } = target;
  const { list } = await contents.all();
  const session = await contents.current();
  if (session === undefined) return 0;
  const placeholder = value.replace(/^\[(.*)\]$/, '$1');
  const canonical = new Map<string, string>();
  const canonicalFor = (type: string) => {
    const known = canonical.get(type) ?? canonicalOf(type, value);
    canonical.set(type, known);
    return known;
  };
  const isPlaceholder = PLACEHOLDER_NAME.test(placeholder);
  const isMeant = (known: Known) =>
    isPlaceholder ? known.name === placeholder : known.canonical === (known.numeric ? value : canonicalFor(known.type));
  const isFound = await mapInSlices(list, isMeant);
  const known = list.filter((_, index) => isFound[index]);
  const identities = new Set(known.map(identityOfRecord));
  // Values that were computed from a forgotten value are forgotten, too.
  const originals = new Set(known.map(originalOf));
  const { names, places, indexed } = await findRecords(
    target,
    session,
    (record) =>
      isMeant(record) ||
      identities.has(identityOfRecord(record)) ||
      (isTransformed(record.canonical) && originals.has(originalOf(record))),
  );
  if (names.size === 0) return 0;
  // Without its index entry a record no longer counts. A process that allocates the value again creates a new one.
  await store.delete(contents.namespace, [...indexed]);
  const empty: string[] = [];
  for (const place of places) if (await isEmptied(target, session, place, names)) empty.push(place);
  // A store in a file empties its log with this call: the log has the earlier content of pages.
  await store.delete(contents.namespace, empty);
  await contents.write(session, [], [...names]);
  for (const name of names) contents.drop(name);
  return new Set(known.map(({ name }) => name)).size;
}

function identityOfRecord({ type, numeric, canonical }: Known): string {
  return identityOf(type, numeric, canonical);
}

function originalOf({ type, canonical }: Known): string {
  return `${type}:${plainOriginal(canonical)}`;
}

/** Finds the stored records that are meant, also those without an index entry. */
async function findRecords(
  { store, contents, owner }: VaultTarget,
  session: SessionKey,
  isMeant: (record: Known) => boolean,
): Promise<{ readonly names: Set<string>; readonly places: Set<string>; readonly indexed: Set<string> }> {
  const found = { names: new Set<string>(), places: new Set<string>(), indexed: new Set<string>() };
  const look = ({ key, value }: Entry) => {
    if (!hasRecords(key) || !keyIdOf(value).equals(session.records.id)) return;
    for (const record of openPage(session.records, owner, key, value)) {
      if (!isMeant(record)) continue;
      found.names.add(record.name);
      found.places.add(key);
      found.indexed.add(indexEntry(session, record));
    }
  };
  for await (const entries of store.list(contents.namespace)) await mapInSlices(entries, look);
  return found;
}

/** Removes records from a page, also if another process changes it meanwhile. Returns whether no record is left. */
async function isEmptied(
  { store, contents, owner }: VaultTarget,
  session: SessionKey,
  key: string,
  names: ReadonlySet<string>,
): Promise<boolean> {
  for (;;) {
    const [was] = await store.get(contents.namespace, [key]);
    if (was === undefined) return false;
    const kept = openPage(session.records, owner, key, was).filter(({ name }) => !names.has(name));
    if (kept.length === 0) return true;
    const value = sealPage(session.records, owner, key, kept);
    const [isWritten] = await store.put(contents.namespace, [{ key, value, was }]);
    if (isWritten) return false;
  }
}
