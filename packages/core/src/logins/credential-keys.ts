import { createHash, randomBytes } from 'node:crypto';
import { keyringOf, loadKeyring, MASTER_KEY_VARIABLE, type SealingKey } from '@toolwright/pii/internal';
import { loginKey } from '@toolwright/storage/internal';
import { type Keychain, openKeychain } from '../config/secrets/keychain.ts';
import type { CredentialKeyPlace } from './login.ts';
import type { CredentialKeys } from './sealed-credentials.ts';

/** The options of {@link credentialKeys}. */
export interface CredentialKeyOptions {
  readonly dataDir: string;
  /** Whether new tokens may be sealed with a key in the keychain: not in a server of many users. */
  readonly mayUseKeychain: boolean;
  readonly keychain?: (() => Promise<Keychain>) | undefined;
}

const KEY_BYTES = 32;

/**
 * Opens the keys that seal tokens. The master key of the environment has priority. Without it, a key in the keychain of the system is
 * used. Without both, it is the key of the data folder. Only the key is in the keychain: it is short, and tokens may be too long for one.
 */
export function credentialKeys({
  dataDir,
  mayUseKeychain,
  keychain = openKeychain,
}: CredentialKeyOptions): CredentialKeys & { place(): Promise<CredentialKeyPlace> } {
  const name = `login-key-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
  let opened: Promise<SealingKey | undefined> | undefined;

  /** Returns the key in the keychain, and creates it if `mayUseKeychain`. */
  function fromKeychain(): Promise<SealingKey | undefined> {
    opened ??= readKeychain().catch(() => undefined);
    return opened;
  }

  async function readKeychain(): Promise<SealingKey | undefined> {
    const entries = await keychain();
    if (entries.read(name) === undefined && mayUseKeychain)
      entries.write(name, randomBytes(KEY_BYTES).toString('base64'));
    // Another process may have created the key at the same time: the stored one counts.
    const text = entries.read(name);
    return text === undefined ? undefined : keyringOf([text], `The entry ${name} of the keychain`).current;
  }

  const fromEnvironment = () =>
    process.env[MASTER_KEY_VARIABLE] ? loadKeyring({ env: process.env, file: '' }) : undefined;

  return {
    async current() {
      const keyring = fromEnvironment();
      if (keyring) return keyring.current;
      return (mayUseKeychain ? await fromKeychain() : undefined) ?? loginKey(dataDir);
    },
    async all() {
      const own = await fromKeychain();
      return [...(fromEnvironment()?.byId.values() ?? []), ...(own ? [own] : []), loginKey(dataDir)];
    },
    async place() {
      if (fromEnvironment()) return 'environment';
      return mayUseKeychain && (await fromKeychain()) !== undefined ? 'keychain' : 'data folder';
    },
  };
}
