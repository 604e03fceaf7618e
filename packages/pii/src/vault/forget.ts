import { PLACEHOLDER_NAME } from '../placeholder.ts';
import { mapInSlices } from '../slices.ts';
import { canonicalOf, isTransformed, plainOriginal } from './canonical.ts';
import { keyIdOf } from './keys/sealing.ts';
import type { SessionKey } from './keys/session-key.ts';
import { hasRecords, openPage, sealPage } from './page.ts';
import { indexEntry } from './records/index-entry.ts';
import type { Known } from './records/record.ts';
import { identityOf } from './records/record-cache.ts';
import type { Entry } from './store.ts';
import type { AllocationTarget } from './wanted-value.ts';

type Target = Pick<AllocationTarget, 'store' | 'contents' | 'owner'>;

/**
 * Forgets a value, given as its placeholder or in any spelling, and returns how many placeholders no longer resolve. Removes
 * all records of the value, also one that a process has left which ended in the middle of an allocation.
 */
export async function forget(target: Target, value: string): Promise<number> {
  const { store, contents } = target;
  const { list } = await contents.all();
  const session = await contents.current();
  if (session === undefined) return 0;
  const placeholder = value.replace(/^\[(.*)\]$/, '$1');
  const canonical = new Map<string, string>();
  const canonicalFor = (type: string) => {
    const known = canonical.get(type) ?? canonicalOf(type, value);
    canonical.set(type, known);
    return known;
  };
  const isPlaceholder = PLACEHOLDER_NAME.test(placeholder);
  const isMeant = (known: Known) =>
    isPlaceholder ? known.name === placeholder : known.canonical === (known.numeric ? value : canonicalFor(known.type));
  const isFound = await mapInSlices(list, isMeant);
  const known = list.filter((_, index) => isFound[index]);
  const identities = new Set(known.map(identityOfRecord));
  // Values that were computed from a forgotten value are forgotten, too.
  const originals = new Set(known.map(originalOf));
  const { names, places, indexed } = await findRecords(
    target,
    session,
    (record) =>
      isMeant(record) ||
      identities.has(identityOfRecord(record)) ||
      (isTransformed(record.canonical) && originals.has(originalOf(record))),
  );
  if (names.size === 0) return 0;
  // Without its index entry a record no longer counts. A process that allocates the value again creates a new one.
  await store.delete(contents.namespace, [...indexed]);
  const empty: string[] = [];
  for (const place of places) if (await isEmptied(target, session, place, names)) empty.push(place);
  // A store in a file empties its log with this call: the log has the earlier content of pages.
  await store.delete(contents.namespace, empty);
  await contents.write(session, [], [...names]);
  for (const name of names) contents.drop(name);
  return new Set(known.map(({ name }) => name)).size;
}

function identityOfRecord({ type, numeric, canonical }: Known): string {
  return identityOf(type, numeric, canonical);
}

function originalOf({ type, canonical }: Known): string {
  return `${type}:${plainOriginal(canonical)}`;
}

/** Finds the stored records that are meant, also those without an index entry. */
async function findRecords(
  { store, contents, owner }: Target,
  session: SessionKey,
  isMeant: (record: Known) => boolean,
): Promise<{ readonly names: Set<string>; readonly places: Set<string>; readonly indexed: Set<string> }> {
  const found = { names: new Set<string>(), places: new Set<string>(), indexed: new Set<string>() };
  const look = ({ key, value }: Entry) => {
    if (!hasRecords(key) || !keyIdOf(value).equals(session.records.id)) return;
    for (const record of openPage(session.records, owner, key, value)) {
      if (!isMeant(record)) continue;
      found.names.add(record.name);
      found.places.add(key);
      found.indexed.add(indexEntry(session, record));
    }
  };
  for await (const entries of store.list(contents.namespace)) await mapInSlices(entries, look);
  return found;
}

/** Removes records from a page, also if another process changes it meanwhile. Returns whether no record is left. */
async function isEmptied(
  { store, contents, owner }: Target,
  session: SessionKey,
  key: string,
  names: ReadonlySet<string>,
): Promise<boolean> {
  for (;;) {
    const [was] = await store.get(contents.namespace, [key]);
    if (was === undefined) return false;
    const kept = openPage(session.records, owner, key, was).filter(({ name }) => !names.has(name));
    if (kept.length === 0) return true;
    const value = sealPage(session.records, owner, key, kept);
    const [isWritten] = await store.put(contents.namespace, [{ key, value, was }]);
    if (isWritten) return false;
  }
}
