import { createHash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;
const SECRET = /^[\w-]{43}$/;

/** Returns a new secret for a cookie or a link. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Returns whether a text has the form of a secret. */
export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

/** Returns the namespace of the entry of a secret: a store never has the secret itself. */
export function secretSpace(kind: 'browser-session' | 'login-link' | 'provider-login', secret: string): string {
  return `${kind}:${createHash('sha256').update(secret).digest('base64url')}`;
}
