import { randomUUID } from 'node:crypto';
import type { StoreCase } from './conformance/case.ts';
import { COUNTER_CASES } from './conformance/counters.ts';
import { ENTRY_CASES } from './conformance/entries.ts';
import { LIFETIME_CASES } from './conformance/lifetimes.ts';
import type { Store } from './store.ts';

export type { StoreCase, StoreRun } from './conformance/case.ts';

/** Everything that every store must do. */
export const storeCases: readonly StoreCase[] = [...ENTRY_CASES, ...COUNTER_CASES, ...LIFETIME_CASES];

/**
 * Runs one case on two handles of the same state, as two processes have them; `open` gives one each time (a store of one
 * process alone gives the same twice). The case uses namespaces that nothing else has, and removes them. Rejects with an
 * `AssertionError` when the store does not behave.
 */
export async function runStoreCase(open: () => Store, testCase: StoreCase): Promise<void> {
  const [store, other] = [open(), open()];
  const namespace = `conformance:${randomUUID()}`;
  try {
    await testCase.run({ store, other, namespace });
  } finally {
    for await (const name of store.namespaces(namespace)) await store.delete(name);
    await store[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  }
}
