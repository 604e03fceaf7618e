import { it } from 'vitest';
import { runStoreCase, storeCases } from './conformance.ts';
import { memoryStore } from './store.ts';

/** One process has one handle: the suite gets it twice, and closes it at the end of the case. */
it.for(storeCases)('$name', (testCase) => {
  const store = memoryStore();
  return runStoreCase(() => store, testCase);
});
