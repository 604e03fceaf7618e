import { inSlices, mapInSlices, type Steps } from '../slices.ts';
import type { SessionKey } from './keys/session-key.ts';
import { openPage, sealPage } from './page.ts';
import type { Known, Spelling } from './records/record.ts';
import type { Change } from './store.ts';
import type { AllocationTarget, WantedValue } from './wanted-value.ts';

/** Spellings that a record keeps of one value. Further spellings count as the first. */
const MAX_SPELLINGS = 32;

/**
 * Adds new spellings and sources to the records of values. Returns `undefined` if another process changed a record
 * meanwhile: the allocation has to start again.
 */
export async function addSpellings(
  { store, contents, owner, source }: AllocationTarget,
  session: SessionKey,
  known: readonly [WantedValue, Known][],
): Promise<readonly [WantedValue, Known][] | undefined> {
  const isChanged = await mapInSlices(known, ([{ texts }, record]) => withSpellings(record, texts, source) !== record);
  const changed = known.filter((_, index) => isChanged[index]);
  if (changed.length === 0) return known;
  const wanted = new Map(changed.map(([value, { name }]) => [name, value]));
  const places = [...new Set(changed.map(([, { name }]) => contents.placeOf(name)))];
  const present = await store.get(contents.namespace, places);
  const updates = new Map<WantedValue, Known>();

  /** Adds to the stored records: another process may have changed them since this one read them. */
  function* updateSteps(): Steps<Change[]> {
    const changes: Change[] = [];
    for (const [index, key] of places.entries()) {
      const was = present[index];
      if (was === undefined) continue;
      const records = openPage(session.records, owner, key, was).map((record) => {
        const value = wanted.get(record.name);
        if (value === undefined) return record;
        const update = withSpellings(record, value.texts, source);
        updates.set(value, update);
        return update;
      });
      changes.push({ key, value: sealPage(session.records, owner, key, records), was });
      yield;
    }
    return changes;
  }

  const changes = await inSlices(updateSteps());
  if (updates.size < changed.length) {
    // Another process forgets these values now. The next round creates new records for them.
    for (const [value, { name }] of changed) if (!updates.has(value)) contents.drop(name);
    return undefined;
  }
  const written = await contents.write(session, changes, [...wanted.keys()]);
  if (written === undefined || written.includes(false)) return undefined;
  for (const record of updates.values()) contents.add(record);
  return known.map(([value, record]) => [value, updates.get(value) ?? record]);
}

/** Returns the record with these spellings by this source, or the same object if it has them already. */
function withSpellings(known: Known, texts: ReadonlySet<string>, source: string | undefined): Known {
  const [first, ...others] = known.spellings;
  const spellings: [Spelling, ...Spelling[]] = [first, ...others];
  let same = true;
  for (const text of texts) {
    let at = spellings.findIndex((spelling) => spelling.text === text);
    if (at < 0 && spellings.length >= MAX_SPELLINGS) at = 0;
    const sources = spellings[at]?.sources ?? [];
    if (at >= 0 && (source === undefined || sources.includes(source))) continue;
    const spelling = {
      text: spellings[at]?.text ?? text,
      sources: source === undefined ? sources : [...sources, source],
    };
    spellings[at < 0 ? spellings.length : at] = spelling;
    same = false;
  }
  return same ? known : { ...known, spellings };
}
