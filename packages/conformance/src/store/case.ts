import type { Store } from '@toolwright/core';

/** The arguments of a case. */
export interface StoreRun {
  readonly store: Store;
  /** A second handle on the same state. */
  readonly other: Store;
  /** A namespace of this run only. The case may also use namespaces whose names start with it. */
  readonly namespace: string;
}

/** One rule that every store must keep. */
export interface StoreCase {
  /** The rule, as a sentence about the store: "keeps namespaces apart". */
  readonly name: string;
  /** Rejects with an `AssertionError` when the store breaks the rule. */
  run(run: StoreRun): Promise<void>;
}

/** Returns all entries of a namespace as text, in the order of their keys. */
export async function listed({ store, namespace }: StoreRun): Promise<[string, string][]> {
  const entries = new Map<string, string>();
  for await (const page of store.list(namespace)) {
    for (const { key, value } of page) entries.set(key, value.toString());
  }
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Returns entries as text. */
export async function texts({ store, namespace }: StoreRun, keys: readonly string[]): Promise<(string | undefined)[]> {
  return (await store.get(namespace, keys)).map((value) => value?.toString());
}
