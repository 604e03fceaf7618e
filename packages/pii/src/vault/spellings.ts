import { mapInSlices } from '../slices.ts';
import { recordEntry } from './contents.ts';
import { type Known, openRecord, type Spelling, sealRecord } from './record.ts';
import type { SessionKey } from './session-key.ts';
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
  const present = await store.get(
    contents.namespace,
    changed.map(([, { name }]) => recordEntry(name)),
  );
  if (present.includes(undefined)) return undefined;
  const updates = new Map<WantedValue, Known>();
  const changes = await mapInSlices(changed, ([value, { name }], index): Change => {
    const was = present[index] ?? Buffer.alloc(0);
    // The stored record may have spellings that another process has added since this one read it.
    const update = withSpellings(openRecord(session.records, owner, name, was), value.texts, source);
    updates.set(value, update);
    return { key: recordEntry(name), value: sealRecord(session.records, owner, update), was };
  });
  const written = await contents.write(
    session,
    changes,
    changed.map(([, { name }]) => name),
  );
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
