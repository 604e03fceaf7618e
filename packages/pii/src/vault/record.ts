import { corrupt, type SealingKey, seal, unseal } from './sealing.ts';
import type { VaultOwner } from './session-key.ts';

/** One way in which a value was written, and the servers that wrote it so. */
export interface Spelling {
  readonly text: string;
  readonly sources: readonly string[];
}

/** A value that the vault knows. */
export interface Known {
  /** The name of its placeholder: `EMAIL_1`. */
  readonly name: string;
  readonly type: string;
  /** Set when it was a JSON number, and is one again when it is restored. */
  readonly numeric: boolean;
  /** See `canonicalOf`. */
  readonly canonical: string;
  /** At least one, the first that was seen first. */
  readonly spellings: readonly [Spelling, ...Spelling[]];
}

/** Servers that a value came from. */
export function sourcesOf(known: Known | undefined): ReadonlySet<string> {
  return new Set(known?.spellings.flatMap(({ sources }) => sources));
}

/** The text of a value as a server writes it, else as it was first seen. */
export function spellingFor({ spellings }: Known, server: string | undefined): string {
  const own = server === undefined ? undefined : spellings.find(({ sources }) => sources.includes(server));
  return (own ?? spellings[0]).text;
}

/** Seals a record for its place: this user, this session, this placeholder. */
export function sealRecord(key: SealingKey, owner: VaultOwner, known: Known): Buffer {
  const { name, type, numeric, canonical, spellings } = known;
  const plain = JSON.stringify({ type, numeric, canonical, spellings });
  return seal(key, [owner.user, owner.session, name], Buffer.from(plain));
}

/** Opens the record of a placeholder. Raises `VAULT_CORRUPT`. */
export function openRecord(key: SealingKey, owner: VaultOwner, name: string, sealed: Buffer): Known {
  const plain: unknown = JSON.parse(unseal(key, [owner.user, owner.session, name], sealed).toString());
  const { type, numeric, canonical, spellings } = Object(plain);
  if (typeof type !== 'string' || !Array.isArray(spellings)) throw corrupt();
  return { name, type, numeric, canonical, spellings: spellings as unknown as Known['spellings'] };
}
