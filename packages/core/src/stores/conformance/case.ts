import type { Store } from '../store.ts';

/** What a case works with. */
export interface StoreRun {
  readonly store: Store;
  /** A second handle on the same state. */
  readonly other: Store;
  /** A namespace of this run alone; the case may use others that start with this name. */
  readonly namespace: string;
}

/** One behaviour that every store has. */
export interface StoreCase {
  readonly name: string;
  /** Raises an `AssertionError` when the store does not behave. */
  run(run: StoreRun): Promise<void>;
}

/** All entries that a list gives, as text, in the order of their keys. */
export async function listed({ store, namespace }: StoreRun): Promise<[string, string][]> {
  const entries = new Map<string, string>();
  for await (const page of store.list(namespace)) {
    for (const { key, value } of page) entries.set(key, value.toString());
  }
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Entries as text. */
export async function texts({ store, namespace }: StoreRun, keys: readonly string[]): Promise<(string | undefined)[]> {
  return (await store.get(namespace, keys)).map((value) => value?.toString());
}
