import { webcrypto } from 'node:crypto';
import type { GuestOutcome } from '@toolwright/sandbox';

/** A longer value is replaced by its hash, which another thread computes. */
const LONG_CHARACTERS = 256 * 1024;

/** Returns the text of an outcome for its code in a journal: JSON with the value, or with the hash of a long one. */
export async function outcomeText(outcome: GuestOutcome): Promise<string> {
  const value = outcome.status === 'completed' ? (outcome.value ?? '') : '';
  if (value.length < LONG_CHARACTERS) return JSON.stringify(outcome);
  const hash = await webcrypto.subtle.digest('SHA-256', Buffer.from(value));
  return JSON.stringify({ status: outcome.status, sha256: Buffer.from(hash).toString('base64url') });
}
