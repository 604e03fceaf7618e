import { randomUUID } from 'node:crypto';
import type { Store } from '@toolwright/core';
import { brokenRule } from './broken-rule.ts';
import type { StoreCase } from './store/case.ts';
import { COUNTER_CASES } from './store/counters.ts';
import { ENTRY_CASES } from './store/entries.ts';
import { LIFETIME_CASES } from './store/lifetimes.ts';

export type { StoreCase, StoreRun } from './store/case.ts';

/** The rules that every store must keep, in the order in which they run. */
export const storeCases: readonly StoreCase[] = [...ENTRY_CASES, ...COUNTER_CASES, ...LIFETIME_CASES];

/**
 * Runs one case on two handles of the same state, like two processes. `open` returns one handle per call; a store for one
 * process returns the same handle twice. The case uses namespaces of its own, and removes them. Rejects with an
 * `AssertionError` that names the rule when the store breaks it.
 */
export async function runStoreCase(open: () => Store, testCase: StoreCase): Promise<void> {
  const [store, other] = [open(), open()];
  const namespace = `conformance:${randomUUID()}`;
  try {
    await testCase.run({ store, other, namespace });
  } catch (error) {
    throw brokenRule('store', testCase.name, error);
  } finally {
    await cleanUp(store, namespace);
    await store[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  }
}

/** A store that breaks a rule may fail here too; the broken rule is the error to report. */
async function cleanUp(store: Store, namespace: string): Promise<void> {
  try {
    for await (const name of store.namespaces(namespace)) await store.delete(name);
  } catch {
    // The state is of no use after the run.
  }
}
