import { expect, it } from 'vitest';
import { memoryStore, type Store } from '../../storage/src/store.ts';
import { runStoreCase, type StoreCase, storeCases } from './store.ts';

/** A store that breaks one rule, and the rule. */
const BROKEN: readonly [rule: string, broken: Partial<Store>][] = [
  ['increments several entries in one call, starting at 0', { increment: async () => ({}) }],
  ['keeps namespaces apart, including names with a common prefix', { delete: async () => undefined }],
  ['rejects calls after closing with CLOSED', { get: async () => [] }],
  ['lists a namespace from its first entry to the removal of its last', { async *namespaces() {} }],
];

it.for(BROKEN)('a broken store fails with the name of the rule: %s', async ([rule, broken]) => {
  const store = { ...memoryStore(), ...broken };
  const testCase = storeCases.find(({ name }) => name === rule) as StoreCase;
  await expect(runStoreCase(() => store, testCase)).rejects.toThrow(`The store breaks the rule "${rule}": `);
});
