import { PiiError } from '../errors.ts';

/** The content of an entry. Text is stored as UTF-8; reads always return bytes. */
export type Value = Uint8Array | string;

/** One entry to write. */
export interface Change {
  readonly key: string;
  readonly value: Value;
  /** Write only if the entry has these bytes now; `null`: only if there is no entry. Default: always write. */
  readonly was?: Uint8Array | null;
}

/** How long a namespace lives. Without both numbers it never expires. */
export interface Lifetime {
  /** Milliseconds since the last call with a lifetime: sliding. */
  readonly idleMs?: number;
  /** Milliseconds since the first call with a lifetime: absolute. */
  readonly maxMs?: number;
}

/** One entry of a list. */
export interface Entry {
  readonly key: string;
  readonly value: Buffer;
}

/**
 * Shared state: small maps of bytes, called namespaces, that several processes use at once. A namespace exists while it has
 * entries, expires as a whole, and its removed entries never return. Every call is atomic for all processes. All methods
 * reject with `STORE_UNAVAILABLE` while the store is unreachable. The next call tries again, without a restart.
 */
export interface Store extends AsyncDisposable {
  /** Shown in errors: `memory`, `sqlite`, `redis`. */
  readonly name: string;
  /** Returns at once whether a namespace has no entries. Absent in stores that other processes change. */
  isEmpty?(namespace: string): boolean;
  /** Returns entries in the order of the keys; `undefined` for a missing one. */
  get(namespace: string, keys: readonly string[]): Promise<(Buffer | undefined)[]>;
  /** Writes entries and returns for each whether it was written. A lifetime is applied to the namespace. */
  put(namespace: string, changes: readonly Change[], lifetime?: Lifetime): Promise<boolean[]>;
  /**
   * Adds whole numbers to entries, which contain decimal text and start at 0, and returns the sums. Raises
   * `STORE_UNAVAILABLE` for an entry that is not a number.
   */
  increment(
    namespace: string,
    amounts: Readonly<Record<string, number>>,
    lifetime?: Lifetime,
  ): Promise<Record<string, number>>;
  /** Removes entries, or the namespace without keys. */
  delete(namespace: string, keys?: readonly string[]): Promise<void>;
  /** Returns all entries in pages, in no order. Entries written meanwhile may be missing, and entries may occur twice. */
  list(namespace: string): AsyncIterable<Entry[]>;
  /** Returns the names of namespaces with a prefix, in no order, with the limits of `list`. */
  namespaces(prefix: string): AsyncIterable<string>;
  /** Applies a lifetime to a namespace and returns whether it exists. */
  touch(namespace: string, lifetime: Lifetime): Promise<boolean>;
  /**
   * Returns the rest of the lifetime of a namespace, without using it; undefined if there is no such namespace. For copies: not
   * every store can.
   */
  remaining?(namespace: string): Promise<Lifetime | undefined>;
  /** Looks for damage: in a part of the store, or with `complete` in all of it. Not every store can. */
  check?(options?: { readonly complete?: boolean }): Promise<void>;
}

/** Entries in one page of a list. */
export const PAGE_ENTRIES = 1_000;

/** Returns the expiry of a namespace, in milliseconds since 1970. `endsAt` is its absolute end, set once; `Infinity` is never. */
export function expiry(lifetime: Lifetime, now: number, endsAt: number): { expiresAt: number; endsAt: number } {
  const end = Math.min(endsAt, now + (lifetime.maxMs ?? Number.POSITIVE_INFINITY));
  return { expiresAt: Math.min(end, now + (lifetime.idleMs ?? Number.POSITIVE_INFINITY)), endsAt: end };
}

/** Returns the rest of a lifetime. Both ends are in milliseconds since 1970; `Infinity` is never. */
export function remainder(now: number, { expiresAt, endsAt }: { expiresAt: number; endsAt: number }): Lifetime {
  return {
    idleMs: Number.isFinite(expiresAt) ? Math.max(0, expiresAt - now) : undefined,
    maxMs: Number.isFinite(endsAt) ? Math.max(0, endsAt - now) : undefined,
  };
}

/** Returns the sum of a counter's text and an amount. Raises `STORE_UNAVAILABLE` if the text is not a whole number. */
export function addTo(text: string, amount: number, key: string): number {
  const sum = Number(text) + amount;
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(sum)) return sum;
  throw new PiiError(
    'STORE_UNAVAILABLE',
    `The entry "${key}" is not a counter: it must be a whole number. Delete the entry.`,
  );
}
