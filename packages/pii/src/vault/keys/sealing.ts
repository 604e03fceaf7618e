import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { PiiError } from '../../errors.ts';

const VERSION = 1;
/** Bytes of a key id, which is not secret. */
export const KEY_ID_BYTES = 8;
const IV_BYTES = 12;
const NONCES = 256;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES + IV_BYTES + TAG_BYTES;

/** A key, and the id that everything sealed with it starts with. */
export interface SealingKey {
  readonly id: Buffer;
  readonly key: KeyObject;
}

/**
 * Encrypts bytes with AES-256-GCM and a random nonce of 12 bytes. Authenticates `place` (user, session, entry) and the
 * id of the key with them, so moved bytes do not open at another place.
 */
export function seal({ id, key }: SealingKey, place: readonly string[], plain: Buffer): Buffer {
  const iv = nextNonce();
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(boundTo(id, place));
  const result = Buffer.allocUnsafe(HEADER_BYTES + plain.length);
  result[0] = VERSION;
  id.copy(result, 1);
  iv.copy(result, 1 + KEY_ID_BYTES);
  cipher.update(plain).copy(result, HEADER_BYTES);
  // The counter mode of GCM has no last block.
  cipher.final();
  cipher.getAuthTag().copy(result, HEADER_BYTES - TAG_BYTES);
  return result;
}

/** Random bytes for the next nonces. A call for each nonce costs as much as the encryption of a short value. */
let randomness = Buffer.alloc(0);

function nextNonce(): Buffer {
  if (randomness.length === 0) randomness = randomBytes(NONCES * IV_BYTES);
  const nonce = randomness.subarray(0, IV_BYTES);
  randomness = randomness.subarray(IV_BYTES);
  return nonce;
}

/** Returns the id of the key that sealed these bytes. Raises `VAULT_CORRUPT` for other bytes. */
export function keyIdOf(sealed: Buffer): Buffer {
  if (sealed.length < HEADER_BYTES || sealed[0] !== VERSION) throw corrupt();
  return sealed.subarray(1, 1 + KEY_ID_BYTES);
}

/** Decrypts bytes that were sealed with this key for this place. Raises `VAULT_CORRUPT` for other bytes. */
export function unseal({ id, key }: SealingKey, place: readonly string[], sealed: Buffer): Buffer {
  if (!keyIdOf(sealed).equals(id)) throw corrupt();
  const afterId = 1 + KEY_ID_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(afterId, afterId + IV_BYTES));
  decipher.setAAD(boundTo(id, place));
  decipher.setAuthTag(sealed.subarray(afterId + IV_BYTES, HEADER_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES)), decipher.final()]);
  } catch (error) {
    throw corrupt(error);
  }
}

function boundTo(id: Buffer, place: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify([id.toString('hex'), ...place]));
}

/** Returns the error for an entry of a vault that was damaged, changed or moved. */
export function corrupt(cause?: unknown): PiiError {
  const message = 'An entry of the vault is damaged, was changed, or was moved. It was not restored.';
  return new PiiError('VAULT_CORRUPT', `${message} Restore the store from a backup, or start a new session.`, {
    cause,
  });
}
