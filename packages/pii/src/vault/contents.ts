import pLimit from 'p-limit';
import type { Keyring } from './master-key.ts';
import { type Known, openRecord } from './record.ts';
import { keyIdOf, type SealingKey } from './sealing.ts';
import { createKey, KEY_ENTRY, namespaceOf, openKey, type SessionKey, type VaultOwner } from './session-key.ts';
import type { Change, Lifetime, Store } from './store.ts';

/** Records that are read in one call. */
export const BATCH_RECORDS = 2_000;
const RECORD_PREFIX = 'record:';
const LOG_PREFIX = 'log:';
/** Entries of the log that are read ahead in one call. */
const LOG_PAGE = 500;
/** The lifetime is given again at the latest after this part of the idle time. */
const TOUCH_SHARE = 20;

/** The entry of a record. */
export function recordEntry(name: string): string {
  return RECORD_PREFIX + name;
}

/** Everything known so far; within a generation it only grows at its end, and a later entry of a name replaces an earlier. */
export interface KnownValues {
  readonly generation: number;
  readonly list: readonly Known[];
}

/**
 * What this process has read of a vault, and knows to be still so. Every process appends what it changes to a log in the
 * store, so one small read tells whether anything did: a value that another process has forgotten is forgotten here.
 */
export interface Contents {
  readonly namespace: string;
  /** The session's key, after a look at the store; `undefined` where there is no vault, unless one is to be made. */
  current(create?: boolean): Promise<SessionKey | undefined>;
  /** Records by name, of those that are there. Call `current` before. */
  load(session: SessionKey, names: readonly string[]): Promise<ReadonlyMap<string, Known>>;
  /** The name of a value that was read already. */
  nameOf(type: string, numeric: boolean, canonical: string): string | undefined;
  /** Takes over what this process has written itself. */
  add(known: Known): void;
  /**
   * Writes changes, and in the same step tells all processes which names are new or different. Resolves to what was
   * written of each change; to `undefined` where the vault was lost or locked anew meanwhile: look again.
   */
  write(session: SessionKey, changes: readonly Change[], names: readonly string[]): Promise<boolean[] | undefined>;
  all(): Promise<KnownValues>;
  /** Drops what is no longer so. */
  drop(name: string): void;
  /** Ends the vault: without its key nothing of it can be read, whoever has a copy. */
  destroy(): Promise<void>;
}

export interface ContentsOptions {
  readonly store: Store;
  readonly keys: Keyring;
  readonly owner: VaultOwner;
  readonly lifetime: Lifetime;
  readonly resumed: boolean;
}

/** Nothing is read before the first call. */
export function openContents({ store, keys, owner, lifetime, resumed }: ContentsOptions): Contents {
  const namespace = namespaceOf(owner);
  const records = new Map<string, Known>();
  const names = new Map<string, string>();
  const pending = new Set<string>();
  const oneByOne = pLimit(1);
  let session: SessionKey | undefined;
  let mayHaveIssued = resumed;
  let list: Known[] = [];
  let generation = 0;
  let logged = 0;
  let complete = false;
  let touchedAt = Number.NEGATIVE_INFINITY;

  function reset(): void {
    if (session) mayHaveIssued = true;
    session = undefined;
    for (const held of [records, names, pending]) held.clear();
    list = [];
    generation += 1;
    logged = 0;
    complete = false;
    touchedAt = Number.NEGATIVE_INFINITY;
  }

  async function look(create: boolean): Promise<SessionKey | undefined> {
    let [wrapped, entry] = await store.get(namespace, [KEY_ENTRY, `${LOG_PREFIX}${logged + 1}`]);
    if (wrapped === undefined || !session?.wrapped.equals(wrapped)) {
      if (wrapped === undefined && session) reset();
      if (wrapped === undefined && !create) return undefined;
      wrapped ??= await createKey(store, owner, keys, { resumed: mayHaveIssued, lifetime });
      const opened = openKey(wrapped, owner, keys);
      // The same key, wrapped anew, leaves all as it is.
      if (!session?.records.id.equals(opened.records.id)) {
        reset();
        [entry] = await store.get(namespace, [`${LOG_PREFIX}1`]);
      }
      session = opened;
    }
    if (entry) await readLog();
    await touch();
    return session;
  }

  async function readLog(): Promise<void> {
    for (let page = 1; ; page = LOG_PAGE) {
      const keysOfPage = Array.from({ length: page }, (_, index) => `${LOG_PREFIX}${logged + 1 + index}`);
      const entries = (await store.get(namespace, keysOfPage)).filter((entry) => entry !== undefined);
      for (const entry of entries) for (const name of Object(JSON.parse(entry.toString()))) outdate(name);
      logged += entries.length;
      if (entries.length < page) return;
    }
  }

  function outdate(name: string): void {
    const known = records.get(name);
    if (known) names.delete(identity(known.type, known.numeric, known.canonical));
    records.delete(name);
    pending.add(name);
  }

  async function touch(): Promise<void> {
    if (lifetime.idleMs === undefined || performance.now() - touchedAt < lifetime.idleMs / TOUCH_SHARE) return;
    await store.touch(namespace, lifetime);
    touchedAt = performance.now();
  }

  function add(known: Known): void {
    records.set(known.name, known);
    names.set(identity(known.type, known.numeric, known.canonical), known.name);
    pending.delete(known.name);
    list.push(known);
  }

  async function fetch({ records: key }: SessionKey, missing: readonly string[]): Promise<void> {
    for (let at = 0; at < missing.length; at += BATCH_RECORDS) {
      const batch = missing.slice(at, at + BATCH_RECORDS);
      const sealed = await store.get(namespace, batch.map(recordEntry));
      batch.forEach((name, index) => {
        const bytes = sealed[index];
        if (bytes && isSealedBy(key, bytes) && !records.has(name)) add(openRecord(key, owner, name, bytes));
      });
    }
  }

  return {
    namespace,
    add,
    drop: outdate,
    current: (create = false) => oneByOne(() => look(create)),
    nameOf: (type, numeric, canonical) => names.get(identity(type, numeric, canonical)),
    async load(current, wanted) {
      await fetch(
        current,
        wanted.filter((name) => !records.has(name)),
      );
      return new Map(
        wanted.flatMap((name) => {
          const known = records.get(name);
          return known ? [[name, known]] : [];
        }),
      );
    },
    write: ({ wrapped }, changes, changed) =>
      oneByOne(async () => {
        const same = { key: KEY_ENTRY, value: wrapped, was: wrapped };
        const entry = () => ({ key: `${LOG_PREFIX}${logged + 1}`, value: JSON.stringify(changed), was: null });
        const [kept, first, ...written] = await store.put(namespace, [same, entry(), ...changes], lifetime);
        for (let stored = first; !stored; ) {
          await readLog();
          [stored] = await store.put(namespace, [entry()], lifetime);
        }
        logged += 1;
        return kept ? written : undefined;
      }),
    all: () =>
      oneByOne(async () => {
        const current = await look(false);
        if (current === undefined) return { generation, list };
        if (!complete) {
          for await (const page of store.list(namespace)) {
            for (const { key, value } of page) {
              const name = key.slice(RECORD_PREFIX.length);
              if (!key.startsWith(RECORD_PREFIX) || records.has(name)) continue;
              if (isSealedBy(current.records, value)) add(openRecord(current.records, owner, name, value));
            }
          }
          complete = true;
        }
        await fetch(current, [...pending]);
        if (pending.size > 0) {
          pending.clear();
          list = [...records.values()];
          generation += 1;
        }
        return { generation, list };
      }),
    destroy: () =>
      oneByOne(async () => {
        await store.delete(namespace);
        mayHaveIssued = true;
        reset();
      }),
  };
}

function identity(type: string, numeric: boolean, canonical: string): string {
  return `${type}:${numeric ? 'number' : 'text'}:${canonical}`;
}

/** Another key's record is what a vault left behind that ended while it was written. */
function isSealedBy({ id }: SealingKey, sealed: Buffer): boolean {
  return keyIdOf(sealed).equals(id);
}
