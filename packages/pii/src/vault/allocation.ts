import { PiiError } from '../errors.ts';
import { inSlices, mapInSlices, pauseIfSpent, type Steps } from '../slices.ts';
import type { Contents } from './contents.ts';
import type { FoundValue } from './found-value.ts';
import { corrupt } from './keys/sealing.ts';
import type { SessionKey } from './keys/session-key.ts';
import type { Numbers } from './numbers.ts';
import { BATCH_RECORDS, openPage, pageEntry, sealPage } from './page.ts';
import { indexEntry, readIndex } from './records/index-entry.ts';
import { openNames } from './records/names.ts';
import { createRecords } from './records/new-records.ts';
import type { Known, Spelling } from './records/record.ts';
import type { Change } from './store.ts';
import {
  type AbsentValue,
  type AllocationTarget,
  groupSteps,
  isRecordOf,
  type VaultTarget,
  type WantedValue,
} from './wanted-value.ts';

/** Where the numbers of an allocation come from, and all else that it needs. */
interface AllocationOptions extends VaultTarget {
  readonly source: string | undefined;
  readonly numbers?: Numbers | undefined;
}

/** Rounds that an allocation retries while other processes take the same numbers. More rounds are no coincidence. */
const MAX_TRIES = 50;
/**
 * New values of one call. Each takes about 50 µs of processor time and 1 KB of memory, which the session keeps.
 * This many take some seconds, in slices, and less than 100 MB.
 */
export const MAX_NEW_VALUES = 50_000;

/** Spellings that a record keeps of one value. Further spellings count as the first. */
const MAX_SPELLINGS = 32;

/**
 * Finds or creates the records of values, several hundred per round trip. An allocation takes numbers from a counter. One
 * step then writes the records in pages, announces their names in the log, and writes the index entries. It does not replace
 * an index entry of another process. A record counts if the index has its name, and if its page is the first that the log
 * has for the name. A value therefore never has two numbers, and a number never two values. Numbers of the slower process
 * stay unused. Raises `PII_LIMIT` for too many new values. Returns the record of each value.
 */
export async function allocate(
  { numbers, ...options }: AllocationOptions,
  values: readonly FoundValue[],
): Promise<readonly Known[]> {
  const { store, contents } = options;
  const groups = await inSlices(groupSteps(values));
  const wanted = [...new Set(groups)];
  await contents.current(true);
  const absent = await newValues(contents, wanted);
  // If all values are in memory, the others are new as of the last look.
  const types = contents.latest() ? absent.map(({ type }) => type) : [];
  const names = openNames({ store, namespace: contents.namespace, numbers }, types);
  const target = { ...options, names };
  const records = new Map<WantedValue, Known>();
  for (let at = 0; at < wanted.length; at += BATCH_RECORDS) {
    let open = wanted.slice(at, at + BATCH_RECORDS);
    for (let tries = 0; open.length > 0; tries++) {
      if (tries === MAX_TRIES) throw corrupt();
      open = await allocateOnce(target, open, records, tries > 0);
      await pauseIfSpent();
    }
  }
  return mapInSlices(groups, (group) => records.get(group) as Known);
}

/** Returns the values without a record in memory. Raises `PII_LIMIT` if the session does not know too many values. */
async function newValues(contents: Contents, wanted: readonly WantedValue[]): Promise<WantedValue[]> {
  // Another process may have records that this one has not read.
  if (wanted.length > MAX_NEW_VALUES && contents.latest() === undefined) await contents.all();
  const held = await mapInSlices(wanted, ({ type, numeric, canonical }) => contents.nameOf(type, numeric, canonical));
  const absent = wanted.filter((_, index) => held[index] === undefined);
  if (absent.length <= MAX_NEW_VALUES) return absent;
  throw new PiiError(
    'PII_LIMIT',
    `A call has ${absent.length} values of personal data that the session does not know, and the limit is ${MAX_NEW_VALUES}. None of them was redacted or ` +
      'passed on. Pass or request fewer values at once: a filter, a page of rows, or fewer columns.',
    { details: { values: absent.length, limit: MAX_NEW_VALUES } },
  );
}

/** Tries a batch once, adds the records to `result`, and returns the values to retry. */
async function allocateOnce(
  target: AllocationTarget,
  batch: readonly WantedValue[],
  result: Map<WantedValue, Known>,
  isRetry: boolean,
): Promise<WantedValue[]> {
  const session = await target.contents.current(true);
  if (session === undefined) throw corrupt();
  const { settled, absent } = await findRecords(target, session, batch, isRetry);
  const { created, lost } = await createRecords(target, session, absent);
  const updated = await addSpellings(target, session, [...settled, ...created]);
  if (updated === undefined) return [...batch];
  for (const [value, record] of updated) result.set(value, record);
  return lost;
}

async function findRecords(
  { store, contents }: AllocationTarget,
  session: SessionKey,
  batch: readonly WantedValue[],
  isRetry: boolean,
): Promise<{ settled: [WantedValue, Known][]; absent: AbsentValue[] }> {
  const held = batch.map(({ type, numeric, canonical }) => contents.nameOf(type, numeric, canonical));
  // If all values are in memory, the others are new as of the last look. A write to the index detects a later one.
  const isNew = !isRetry && contents.latest() !== undefined;
  const open = batch.filter((_, index) => held[index] === undefined);
  const keys = await mapInSlices(open, (value) => indexEntry(session, value));
  const entries = isNew || keys.length === 0 ? [] : await store.get(contents.namespace, keys);
  const indexed = new Map(open.map((value, index) => [value, { entry: keys[index] ?? '', was: entries[index] }]));
  await announce(contents, session, entries);
  const names = batch.map((value, index) => held[index] ?? nameIn(contents, indexed.get(value)?.was));
  const records = await contents.load(
    session,
    names.filter((name) => name !== undefined),
  );
  const settled: [WantedValue, Known][] = [];
  const absent: AbsentValue[] = [];
  batch.forEach((value, index) => {
    const record = records.get(names[index] ?? '');
    // The index is not sealed; the sealed record proves whether the index is right.
    if (record && !isRecordOf(record, value)) throw corrupt();
    if (record) settled.push([value, record]);
    else {
      const { entry = indexEntry(session, value), was = null } = indexed.get(value) ?? {};
      absent.push({ value, entry, was });
    }
  });
  return { settled, absent };
}

/**
 * Announces indexed names that the log does not have. The process that created them appends them to the log now, or it ended
 * before it could.
 */
async function announce(
  contents: Contents,
  session: SessionKey,
  entries: readonly (Buffer | undefined)[],
): Promise<void> {
  const isUnannounced = ({ name, page }: ReturnType<typeof readIndex>) =>
    name !== undefined && page !== undefined && !contents.isIssued(name);
  let found = entries.map(readIndex).filter(isUnannounced);
  if (found.length === 0) return;
  await contents.current();
  found = found.filter(isUnannounced);
  if (found.length === 0) return;
  const pages: Record<string, string[]> = {};
  for (const { name = '', page = '' } of found) pages[page] = [...(pages[page] ?? []), name];
  await contents.write(session, [], pages);
}

/** Returns the name in an index entry, unless the log has the name in another page: then another value has it. */
function nameIn(contents: Contents, entry: Buffer | undefined): string | undefined {
  const { name, page } = readIndex(entry);
  const isElsewhere = name !== undefined && page !== undefined && contents.placeOf(name) !== pageEntry(page);
  return isElsewhere ? undefined : name;
}

/**
 * Adds new spellings and sources to the records of values. Returns `undefined` if another process changed a record
 * meanwhile: the allocation has to start again.
 */
async function addSpellings(
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
