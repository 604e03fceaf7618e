import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Bytes of the part of a key that names it, and of the part that nobody can guess: 256 bits. */
const ID_BYTES = 8;
const SECRET_BYTES = 32;
const SALT_BYTES = 16;

/** In front of every key, so that scanners of source code know one. */
export const KEY_PREFIX = 'twk_';
const KEY = new RegExp(`^${KEY_PREFIX}([0-9a-f]{${ID_BYTES * 2}})_([0-9a-f]{${SECRET_BYTES * 2}})$`);

/** What is kept of a secret. A secret of 256 random bits needs no slow hash: there is nothing to guess. */
export interface SecretHash {
  /** Hexadecimal, as is the hash. */
  readonly salt: string;
  readonly hash: string;
}

/** Makes a new key: the text that its owner gets, once, and what is kept of it. */
export function makeKey(): { id: string; text: string; kept: SecretHash } {
  const id = randomBytes(ID_BYTES).toString('hex');
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  const salt = randomBytes(SALT_BYTES).toString('hex');
  return { id, text: `${KEY_PREFIX}${id}_${secret}`, kept: { salt, hash: digest(salt, secret).toString('hex') } };
}

/** The parts of a key, when the text is one. */
export function readKey(text: string): { id: string; secret: string } | undefined {
  const [, id, secret] = KEY.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Whether a secret is the one that was hashed. Takes the same time whatever is wrong with it. */
export function isSecret(secret: string, { salt, hash }: SecretHash): boolean {
  const kept = Buffer.from(hash, 'hex');
  const given = digest(salt, secret);
  return kept.length === given.length && timingSafeEqual(kept, given);
}

function digest(salt: string, secret: string): Buffer {
  return createHash('sha256').update(Buffer.from(salt, 'hex')).update(secret).digest();
}
