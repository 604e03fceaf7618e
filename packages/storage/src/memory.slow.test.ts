import { runStoreCase, storeCases } from '@toolwright/conformance/store';
import { it } from 'vitest';
import { memoryStore } from './store.ts';

/** A memory store has one handle: the suite receives it twice, and closes it at the end of the case. */
it.for(storeCases)('$name', (testCase) => {
  const store = memoryStore();
  return runStoreCase(() => store, testCase);
});
