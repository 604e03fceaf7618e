import type { Store } from '../store.ts';
import type { Keyring } from './master-key.ts';
import { keyIdOf } from './sealing.ts';
import { KEY_ENTRY, unwrapKey, VAULT_NAMESPACES, wrapKey } from './session-key.ts';

/** The result of a rotation. */
export interface Rotation {
  /** Vaults whose key this rotation wrapped with the current master key. */
  readonly rewrapped: number;
  /** Vaults whose key was wrapped with the current master key already. */
  readonly current: number;
}

/**
 * Wraps the keys of all vaults with the current master key. Values do not change, and sessions can be used meanwhile. After
 * it, the older keys of the keyring can be removed. Raises `VAULT_LOCKED` for a vault whose master key is missing; the
 * remaining vaults keep their wrapping until the next call.
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
