import type { Keyring } from './master-key.ts';
import { keyIdOf } from './sealing.ts';
import { KEY_ENTRY, unwrapKey, VAULT_NAMESPACES, wrapKey } from './session-key.ts';
import type { Store } from './store.ts';

/** What a rotation has done. */
export interface Rotation {
  /** Vaults whose key is now wrapped with the current master key. */
  readonly rewrapped: number;
  /** Vaults that were so already. */
  readonly current: number;
}

/**
 * Wraps the keys of all vaults with the current master key; values are not touched, and sessions go on meanwhile. When
 * it has ended, the older keys of the keyring can be removed. Raises `VAULT_LOCKED` for a vault of a key that the keyring
 * does not have, and leaves the rest for the next time.
 */
export async function rotateVaults(store: Store, keys: Keyring): Promise<Rotation> {
  const done = { rewrapped: 0, current: 0 };
  for await (const namespace of store.namespaces(VAULT_NAMESPACES)) {
    const [wrapped] = await store.get(namespace, [KEY_ENTRY]);
    if (wrapped === undefined) continue;
    if (keyIdOf(wrapped).equals(keys.current.id)) {
      done.current += 1;
      continue;
    }
    const value = wrapKey(unwrapKey(wrapped, keys, namespace), keys, namespace);
    const [written] = await store.put(namespace, [{ key: KEY_ENTRY, value, was: wrapped }]);
    if (written) done.rewrapped += 1;
  }
  return done;
}
