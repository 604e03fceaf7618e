import { createHash, webcrypto } from 'node:crypto';
import { DpopSession } from '@modelcontextprotocol/client';

/** A private key in the form of RFC 7517, which binds the tokens of one login to this client. */
export type DpopKey = webcrypto.JsonWebKey;

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** Creates a key for the tokens of one login (RFC 9449). */
export async function createDpopKey(): Promise<DpopKey> {
  const { privateKey } = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  return webcrypto.subtle.exportKey('jwk', privateKey);
}

/** Opens the proofs of a key. */
export async function openDpop(key: DpopKey): Promise<DpopSession> {
  const { kty = '', crv = '', x = '', y = '' } = key;
  const publicJwk = { kty, crv, x, y };
  const [privateKey, publicKey] = await Promise.all([
    webcrypto.subtle.importKey('jwk', { ...publicJwk, d: key.d ?? '' }, ALGORITHM, false, ['sign']),
    webcrypto.subtle.importKey('jwk', publicJwk, ALGORITHM, true, ['verify']),
  ]);
  // RFC 7638: the required members in the order of their names.
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  return DpopSession.create({ keyPair: { privateKey, publicKey, publicJwk, thumbprint, alg: 'ES256' } });
}
