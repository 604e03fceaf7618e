import { type SealingKey, seal, unseal } from '@toolwright/pii/internal';
import { exactText, parseExact } from '@toolwright/sandbox/internal';
import { derivedSealingKey } from '@toolwright/storage/internal';

/** The place of a sealed value: an execution, a call, and the part of it. A moved value does not open. */
export type SealedPlace = readonly [executionId: string, call: number, part: string];

/** Keys by the keys of journals, of which they are derived. */
const keys = new WeakMap<Buffer, SealingKey>();

/** Seals JSON data of a journal that is nobody's to read: answers of people, and the state of a server. */
export function sealValue(key: Buffer, [id, call, part]: SealedPlace, value: unknown): string {
  return seal(keyOf(key), [id, String(call), part], Buffer.from(exactText(value))).toString('base64');
}

/** Opens a sealed value. Raises `VAULT_CORRUPT` for one of another place or data folder. */
export function openValue(key: Buffer, [id, call, part]: SealedPlace, sealed: string): unknown {
  return parseExact(unseal(keyOf(key), [id, String(call), part], Buffer.from(sealed, 'base64')).toString('utf8'));
}

function keyOf(key: Buffer): SealingKey {
  const known = keys.get(key);
  if (known) return known;
  const created = derivedSealingKey(key, { id: 'values of journals', key: 'values of journals' });
  keys.set(key, created);
  return created;
}

/** The member of an entry that its file has sealed, as `sealed`. */
const SEALED_MEMBERS = { decision: 'value', question: 'realDetails', pause: 'state' } as const;

/** An entry with a sealed member. */
type SealedEntry = keyof typeof SEALED_MEMBERS;

/** Returns the members of an entry as the file has them. */
export function sealEntry(
  key: Buffer,
  executionId: string,
  entry: SealedEntry,
  members: { readonly number: number; readonly question?: number; readonly [member: string]: unknown },
): { readonly number: number; readonly [member: string]: unknown } {
  const { [SEALED_MEMBERS[entry]]: value, ...rest } = members;
  if (value === undefined) return members;
  return { ...rest, number: members.number, sealed: sealValue(key, placeOf(executionId, entry, members), value) };
}

/** Returns an entry of a file with its real members. Raises `VAULT_CORRUPT`. */
export function openEntry<Entry extends { readonly entry: string }>(
  key: Buffer,
  executionId: string,
  line: Entry & { readonly number?: number; readonly question?: number; readonly sealed?: string },
): Entry {
  const { sealed, ...rest } = line;
  if (sealed === undefined) return line;
  const entry = line.entry as SealedEntry;
  const value = openValue(key, placeOf(executionId, entry, line), sealed);
  return { ...rest, [SEALED_MEMBERS[entry]]: value } as unknown as Entry;
}

function placeOf(
  executionId: string,
  entry: SealedEntry,
  { number = 0, question = 1 }: { readonly number?: number; readonly question?: number },
): SealedPlace {
  return [executionId, number, `${entry} ${question}`];
}
