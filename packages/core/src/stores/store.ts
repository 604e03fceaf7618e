import { ToolwrightError } from '../errors.ts';

export { type Change, type Entry, type Lifetime, memoryStore, type Store, type Value } from '@toolwright/pii';
/** The port of all stores. Its type is defined with the vault, which stands on a store and on nothing else of ours. */
export { addTo, expiry, PAGE_ENTRIES } from '@toolwright/pii/internal';

/** Returns the error of a store that does not answer. `what` is a sentence that names it and the fix. */
export function unavailable(what: string, cause: unknown): ToolwrightError {
  return new ToolwrightError('STORE_UNAVAILABLE', what, { cause });
}
