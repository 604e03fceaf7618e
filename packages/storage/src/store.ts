import { ToolwrightError } from './errors.ts';

// The port of all stores. The package `pii` defines it, because its vault needs a store and nothing else.
export { memoryStore } from '@toolwright/pii/memory-store';
export {
  addTo,
  type Change,
  type Entry,
  expiry,
  type Lifetime,
  PAGE_ENTRIES,
  remainder,
  type Store,
  type Value,
} from '@toolwright/pii/store';

/** Returns the error of a store that does not answer. `message` names the store and the fix. */
export function unavailable(message: string, cause: unknown): ToolwrightError {
  return new ToolwrightError('STORE_UNAVAILABLE', message, { cause });
}
