import { createHash, createSecretKey, hash, hkdfSync, type KeyObject, randomBytes, randomInt } from 'node:crypto';
import { PiiError } from '../../errors.ts';
import type { Lifetime, Store } from '../store.ts';
import type { Keyring } from './master-key.ts';
import { corrupt, KEY_ID_BYTES, keyIdOf, type SealingKey, seal, unseal } from './sealing.ts';

/** The user and session that a vault belongs to. Every entry is bound to both. */
export interface VaultOwner {
  readonly user: string;
  readonly session: string;
}

/** The keys of one session, and the start of its numbers. */
export interface SessionKey {
  /** Seals records. */
  readonly records: SealingKey;
  /** Placeholder numbers start after this one. */
  readonly firstNumber: number;
  /** The stored form of the key, to detect a change. */
  readonly wrapped: Buffer;
  /** Returns the index name of a value. It is keyed: without the key, nobody can test guesses of values. */
  indexOf(type: string, numeric: boolean, canonical: string): string;
}

export const KEY_ENTRY = 'key';
/** The prefix of the namespaces of all vaults. */
export const VAULT_NAMESPACES = 'vault:';
const DATA_KEY_BYTES = 32;
/** The numbers of a session with lost values start at a random number here, so that lost placeholders do not resolve. */
const RESUMED_FROM = 1_000_000;
const RESUMED_TO = 9_000_000;

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
const INNER = 0x36;
const OUTER = 0x5c;
const SHORT_TEXT_BYTES = 4_096;
/** The most bytes of a UTF-16 unit in UTF-8. */
const UNIT_BYTES = 3;

/** Returns the namespace of a vault. It does not contain the name of the user, which may be an e-mail address. */
export function namespaceOf({ user, session }: VaultOwner): string {
  return (
    VAULT_NAMESPACES +
    createHash('sha256')
      .update(JSON.stringify([user, session]))
      .digest('base64url')
  );
}

/** Unwraps a key. Raises `VAULT_LOCKED` if the keyring does not have its master key, `VAULT_CORRUPT` if it was changed. */
export function unwrapKey(wrapped: Buffer, keys: Keyring, namespace: string): Buffer {
  const id = keyIdOf(wrapped).toString('hex');
  const master = keys.byId.get(id);
  if (master === undefined) {
    const known = [...keys.byId.keys()].join(', ');
    throw new PiiError(
      'VAULT_LOCKED',
      `The vault is locked with the master key ${id}. The configured keys are: ${known}. ` +
        'Add its key to TOOLWRIGHT_OLD_MASTER_KEYS or to the key file, or start a new session.',
    );
  }
  return unseal(master, [namespace, KEY_ENTRY], wrapped);
}

/** Wraps the key of a session with the current master key. */
export function wrapKey(plain: Buffer, keys: Keyring, namespace: string): Buffer {
  return seal(keys.current, [namespace, KEY_ENTRY], plain);
}

/** Creates the key of a session, unless another process has just done so. Returns the stored wrapped key. */
export async function createKey(
  store: Store,
  owner: VaultOwner,
  keys: Keyring,
  { resumed, lifetime }: { readonly resumed: boolean; readonly lifetime: Lifetime },
): Promise<Buffer> {
  const namespace = namespaceOf(owner);
  const first = Buffer.alloc(4);
  first.writeUInt32BE(resumed ? randomInt(RESUMED_FROM, RESUMED_TO) : 0);
  const plain = Buffer.concat([randomBytes(KEY_ID_BYTES), first, randomBytes(DATA_KEY_BYTES)]);
  const value = wrapKey(plain, keys, namespace);
  const [written] = await store.put(namespace, [{ key: KEY_ENTRY, value, was: null }], lifetime);
  if (written) return value;
  const [other] = await store.get(namespace, [KEY_ENTRY]);
  if (other === undefined) throw corrupt();
  return other;
}

/** Unwraps the key of a session and derives its keys for records and for the index. */
export function openKey(wrapped: Buffer, owner: VaultOwner, keys: Keyring): SessionKey {
  const plain = unwrapKey(wrapped, keys, namespaceOf(owner));
  if (plain.length !== KEY_ID_BYTES + 4 + DATA_KEY_BYTES) throw corrupt();
  const id = plain.subarray(0, KEY_ID_BYTES);
  const data = plain.subarray(KEY_ID_BYTES + 4);
  const derive = (purpose: string): KeyObject =>
    createSecretKey(Buffer.from(hkdfSync('sha256', data, id, purpose, DATA_KEY_BYTES)));
  const index = keyedHash(derive('index'));
  return {
    records: { id, key: derive('records') },
    firstNumber: plain.readUInt32BE(KEY_ID_BYTES),
    wrapped,
    indexOf: (type, numeric, canonical) => index(JSON.stringify([type, numeric, canonical])).slice(0, INDEX_CHARACTERS),
  };
}

/** 132 bits: two of a million values share one with a chance of 10⁻²⁸. */
const INDEX_CHARACTERS = 22;

/**
 * Returns a function that computes HMAC-SHA256 (RFC 2104), as base64url. `createHmac` makes an object for each text, which costs
 * twice as much for short texts. The key has at most 64 bytes.
 */
export function keyedHash(key: KeyObject): (text: string) => string {
  const bytes = key.export();
  const inner = padded(bytes, INNER, SHORT_TEXT_BYTES);
  const outer = padded(bytes, OUTER, HASH_BYTES);
  return (text) => {
    const isShort = text.length * UNIT_BYTES <= SHORT_TEXT_BYTES;
    const message = isShort ? inner : padded(bytes, INNER, Buffer.byteLength(text));
    const end = BLOCK_BYTES + message.write(text, BLOCK_BYTES);
    hash('sha256', message.subarray(0, end), 'buffer').copy(outer, BLOCK_BYTES);
    return hash('sha256', outer, 'base64url');
  };
}

/** Returns a block with the key, mixed with `pad`, before space for `more` bytes. */
function padded(key: Buffer, pad: number, more: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES + more, pad);
  for (const [at, byte] of key.entries()) block[at] = byte ^ pad;
  return block;
}
