import { PiiError } from '../errors.ts';

/** What an entry holds. Text is kept as UTF-8; what is read is always bytes. */
export type Value = Uint8Array | string;

/** One entry to write. */
export interface Change {
  readonly key: string;
  readonly value: Value;
  /** Write only if these bytes are there now; `null`: only if nothing is. Default: write in any case. */
  readonly was?: Uint8Array | null;
}

/** How long a namespace lives. Without either number it lives for ever. */
export interface Lifetime {
  /** Milliseconds since it was last given a lifetime: sliding. */
  readonly idleMs?: number;
  /** Milliseconds since it was first given one: absolute. */
  readonly maxMs?: number;
}

/** One entry as it is listed. */
export interface Entry {
  readonly key: string;
  readonly value: Buffer;
}

/**
 * Shared state: small maps of bytes, each called a namespace, that several processes use at once. A namespace is there
 * from its first entry to its last, lives and expires as a whole, and what it held never comes back. Each call takes one
 * step that no other process sees half of. All methods reject with `STORE_UNAVAILABLE` while the store cannot be
 * reached; the next call tries again, so a store that is back works at once.
 */
export interface Store extends AsyncDisposable {
  /** Shown in errors: `memory`, `sqlite`, `redis`. */
  readonly name: string;
  /** Reads entries, in the order of the keys; `undefined` for one that is not there. */
  get(namespace: string, keys: readonly string[]): Promise<(Buffer | undefined)[]>;
  /** Writes entries; tells for each whether it was written. With a lifetime, the namespace is given it too. */
  put(namespace: string, changes: readonly Change[], lifetime?: Lifetime): Promise<boolean[]>;
  /**
   * Adds whole numbers to entries, which are read as decimal text and begin at 0; resolves to the sums. An entry that is
   * no number is an error.
   */
  increment(
    namespace: string,
    amounts: Readonly<Record<string, number>>,
    lifetime?: Lifetime,
  ): Promise<Record<string, number>>;
  /** Removes entries; without keys, the namespace. */
  delete(namespace: string, keys?: readonly string[]): Promise<void>;
  /** Pages of all entries, in no order. One that is written meanwhile may be missing; any may come twice. */
  list(namespace: string): AsyncIterable<Entry[]>;
  /** Names of the namespaces that start so, in no order; the same caveats. */
  namespaces(prefix: string): AsyncIterable<string>;
  /** Gives the namespace a lifetime from now; tells whether it is there. */
  touch(namespace: string, lifetime: Lifetime): Promise<boolean>;
}

/** Entries of one page of a list. */
export const PAGE_ENTRIES = 1_000;

/** When a namespace ends, in milliseconds since 1970: `endsAt` is its absolute end, set once. `Infinity` is never. */
export function expiry(lifetime: Lifetime, now: number, endsAt: number): { expiresAt: number; endsAt: number } {
  const end = Math.min(endsAt, now + (lifetime.maxMs ?? Number.POSITIVE_INFINITY));
  return { expiresAt: Math.min(end, now + (lifetime.idleMs ?? Number.POSITIVE_INFINITY)), endsAt: end };
}

/** The sum of a counter's text and an amount. Raises `STORE_UNAVAILABLE` when the entry is no counter. */
export function addTo(text: string, amount: number, key: string): number {
  const sum = Number(text) + amount;
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(sum)) return sum;
  throw new PiiError('STORE_UNAVAILABLE', `The entry "${key}" is no counter.`);
}
