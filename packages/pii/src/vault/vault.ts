import pLimit from 'p-limit';
import { PLACEHOLDER_NAME } from '../placeholder.ts';
import { allocate, type FoundValue, indexEntry } from './allocation.ts';
import { canonicalOf } from './canonical.ts';
import { type KnownValues, openContents, recordEntry } from './contents.ts';
import type { Keyring } from './master-key.ts';
import type { Known } from './record.ts';
import { namespaceOf, type VaultOwner } from './session-key.ts';
import type { Lifetime, Store } from './store.ts';

export type { FoundValue } from './allocation.ts';
export type { KnownValues } from './contents.ts';
export type { Known } from './record.ts';
export type { VaultOwner } from './session-key.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** How long the values of a session are kept: 30 days after their last use, at most a year. */
export const DEFAULT_VAULT_LIFETIME: Lifetime = { idleMs: 30 * DAY_MS, maxMs: 365 * DAY_MS };

export interface VaultOptions extends VaultOwner {
  readonly store: Store;
  readonly keys: Keyring;
  /** Default: `DEFAULT_VAULT_LIFETIME`. */
  readonly lifetime?: Lifetime;
  /**
   * Set for a session that may have issued placeholders before. When the store has lost them, its numbers then begin
   * far away from the lost ones, so that an old placeholder never becomes another value. Default: false.
   */
  readonly resumed?: boolean;
}

/**
 * The personal data of one session of one user, and its placeholders. A value has one placeholder and a placeholder one
 * value, in all executions and processes, until the value is forgotten; its number is never given again. All methods
 * reject with `STORE_UNAVAILABLE`, `VAULT_LOCKED` (another master key) or `VAULT_CORRUPT`: then nothing was protected or
 * restored, and nothing may be shown.
 */
export interface Vault {
  readonly owner: VaultOwner;
  /**
   * Names of the placeholders of values, in the order of the values; makes those that are new. `source` is the server
   * that the values came from, if they came from one.
   */
  allocate(values: readonly FoundValue[], source?: string): Promise<string[]>;
  /** Values by the names of placeholders, of those that this session has issued and not forgotten. */
  find(names: readonly string[]): Promise<ReadonlyMap<string, Known>>;
  /** All values of the session that are known now, also those of other processes. */
  known(): Promise<KnownValues>;
  /** Adds to a counter of the session that all processes share; resolves to its sum. */
  count(counter: string, amount: number): Promise<number>;
  /** Forgets a value, told by its placeholder or in any spelling; resolves to how many placeholders no longer resolve. */
  forget(value: string): Promise<number>;
  /** Forgets all of the session, by dropping its key. */
  destroy(): Promise<void>;
}

/** Opens the vault of a session; nothing is read or made before it is used. */
export function openVault({ user, session, lifetime = DEFAULT_VAULT_LIFETIME, ...options }: VaultOptions): Vault {
  const { store, keys, resumed = false } = options;
  const owner = { user, session };
  const contents = openContents({ store, keys, owner, lifetime, resumed });
  const oneByOne = pLimit(1);

  async function find(names: readonly string[]): Promise<ReadonlyMap<string, Known>> {
    const current = await contents.current();
    return current ? contents.load(current, names) : new Map();
  }

  return {
    owner,
    find,
    allocate: (values, source) =>
      oneByOne(async () => {
        if (values.length === 0) return [];
        const known = await allocate({ store, contents, owner }, values, source);
        return values.map((value) => known.get(value)?.name ?? '');
      }),
    known: () => contents.all(),
    async count(counter, amount) {
      const key = `used:${counter}`;
      // A session that ended has nothing to count for: the counter must not bring its namespace back.
      if ((await contents.current()) === undefined) return 0;
      return (await store.increment(namespaceOf(owner), { [key]: amount }))[key] ?? 0;
    },
    forget: (value) =>
      oneByOne(async () => {
        const { list } = await contents.all();
        const current = await contents.current();
        if (current === undefined) return 0;
        const name = value.replace(/^\[(.*)\]$/, '$1');
        const isMeant = (known: Known) =>
          PLACEHOLDER_NAME.test(name)
            ? known.name === name
            : known.canonical === (known.numeric ? value : canonicalOf(known.type, value));
        const meant = [...new Map(list.filter(isMeant).map((known) => [known.name, known])).values()];
        if (meant.length === 0) return 0;
        await store.delete(
          contents.namespace,
          meant.flatMap((known) => [indexEntry(current, known), recordEntry(known.name)]),
        );
        await contents.write(
          current,
          [],
          meant.map((known) => known.name),
        );
        for (const known of meant) contents.drop(known.name);
        return meant.length;
      }),
    destroy: () => oneByOne(() => contents.destroy()),
  };
}
