import { ToolwrightError } from '../errors.ts';

export { type Change, type Entry, type Lifetime, memoryStore, type Store, type Value } from '@toolwright/pii';
/** The port of all stores. The package `pii` defines it, because its vault needs a store and nothing else. */
export { addTo, expiry, PAGE_ENTRIES } from '@toolwright/pii/internal';

/** Returns the error of a store that does not answer. `message` names the store and the fix. */
export function unavailable(message: string, cause: unknown): ToolwrightError {
  return new ToolwrightError('STORE_UNAVAILABLE', message, { cause });
}
