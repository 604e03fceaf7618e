import type { Store } from './store.ts';

const NAMESPACE = 'health';
const KEY = 'checked';
/** Milliseconds that the entry of a check remains. */
const LIFETIME_MS = 60_000;

/** Reads and writes the store, and looks for damage, in all of it with `complete`. Rejects with `STORE_UNAVAILABLE`. */
export async function checkStore(store: Store, options: { readonly complete?: boolean } = {}): Promise<void> {
  await store.check?.(options);
  await store.put(NAMESPACE, [{ key: KEY, value: '' }], { idleMs: LIFETIME_MS });
  await store.get(NAMESPACE, [KEY]);
}
