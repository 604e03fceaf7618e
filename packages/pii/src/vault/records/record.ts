import { corrupt, type SealingKey, seal, unseal } from '../keys/sealing.ts';
import type { VaultOwner } from '../keys/session-key.ts';

/** One spelling of a value, and the servers that use it. */
export interface Spelling {
  readonly text: string;
  readonly sources: readonly string[];
}

/** A value in the vault. */
export interface Known {
  /** The name of its placeholder: `EMAIL_1`. */
  readonly name: string;
  readonly type: string;
  /** Set for a JSON number, which `restore` returns as a number. */
  readonly numeric: boolean;
  /** See `canonicalOf`. */
  readonly canonical: string;
  /** At least one; the first is the first that was stored. */
  readonly spellings: readonly [Spelling, ...Spelling[]];
}

/** Returns the servers that returned a value. */
export function sourcesOf(known: Known | undefined): ReadonlySet<string> {
  return new Set(known?.spellings.flatMap(({ sources }) => sources));
}

/** Returns the spelling of a server, else the first spelling. */
export function spellingFor({ spellings }: Known, server: string | undefined): string {
  const own = server === undefined ? undefined : spellings.find(({ sources }) => sources.includes(server));
  return (own ?? spellings[0]).text;
}

/** Encrypts a record and binds it to its user, session and placeholder. */
export function sealRecord(key: SealingKey, owner: VaultOwner, known: Known): Buffer {
  const { name, type, numeric, canonical, spellings } = known;
  const plain = JSON.stringify({ type, numeric, canonical, spellings });
  return seal(key, [owner.user, owner.session, name], Buffer.from(plain));
}

/** Decrypts the record of a placeholder. Raises `VAULT_CORRUPT` for a changed or moved record. */
export function openRecord(key: SealingKey, owner: VaultOwner, name: string, sealed: Buffer): Known {
  const plain: unknown = JSON.parse(unseal(key, [owner.user, owner.session, name], sealed).toString());
  const { type, numeric, canonical, spellings } = Object(plain);
  if (typeof type !== 'string' || !Array.isArray(spellings)) throw corrupt();
  return { name, type, numeric, canonical, spellings: spellings as unknown as Known['spellings'] };
}
