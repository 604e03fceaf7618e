import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Bytes of the two parts of a key: the id, and the random secret of 256 bits. */
const ID_BYTES = 8;
const SECRET_BYTES = 32;
const SALT_BYTES = 16;

/** The prefix of every key, so that secret scanners recognise a leaked key. */
export const KEY_PREFIX = 'twk_';
const KEY = new RegExp(`^${KEY_PREFIX}([0-9a-f]{${ID_BYTES * 2}})_([0-9a-f]{${SECRET_BYTES * 2}})$`);

/** The stored hash of a secret. It needs no slow hash function, because nobody can guess 256 random bits. */
export interface SecretHash {
  /** Hexadecimal, like the hash. */
  readonly salt: string;
  readonly hash: string;
}

/** Generates a key. `text` is the only copy of the secret; `secretHash` is for the store. */
export function generateKey(): { id: string; text: string; secretHash: SecretHash } {
  const id = randomBytes(ID_BYTES).toString('hex');
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  const salt = randomBytes(SALT_BYTES).toString('hex');
  return { id, text: `${KEY_PREFIX}${id}_${secret}`, secretHash: { salt, hash: digest(salt, secret).toString('hex') } };
}

/** Returns the parts of a key, or `undefined` when the text is not a key. */
export function parseKey(text: string): { id: string; secret: string } | undefined {
  const [, id, secret] = KEY.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Returns whether a secret matches its hash. Every comparison takes the same time. */
export function matchesHash(secret: string, { salt, hash }: SecretHash): boolean {
  const expected = Buffer.from(hash, 'hex');
  const actual = digest(salt, secret);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

function digest(salt: string, secret: string): Buffer {
  return createHash('sha256').update(Buffer.from(salt, 'hex')).update(secret).digest();
}
