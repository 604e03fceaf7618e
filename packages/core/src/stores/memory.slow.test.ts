import { it } from 'vitest';
import { runStoreCase, storeCases } from './conformance.ts';
import { memoryStore } from './store.ts';

/** A memory store has one handle: the suite receives it twice, and closes it at the end of the case. */
it.for(storeCases)('$name', (testCase) => {
  const store = memoryStore();
  return runStoreCase(() => store, testCase);
});
