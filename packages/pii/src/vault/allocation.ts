import { PiiError } from '../errors.ts';
import { MAX_PLACEHOLDER_NUMBER, PLACEHOLDER_NAME } from '../placeholder.ts';
import { canonicalOf } from './canonical.ts';
import { BATCH_RECORDS, type Contents, recordEntry } from './contents.ts';
import { type Known, openRecord, type Spelling, sealRecord } from './record.ts';
import { corrupt } from './sealing.ts';
import type { SessionKey, VaultOwner } from './session-key.ts';
import type { Change, Store } from './store.ts';

/** A value to be given a placeholder. */
export interface FoundValue {
  readonly type: string;
  readonly text: string;
  /** Set for a JSON number; `text` is then its decimal form. */
  readonly numeric?: boolean;
}

/** One value of a call, with all of its spellings. */
interface Wanted {
  readonly type: string;
  readonly numeric: boolean;
  readonly canonical: string;
  readonly texts: Set<string>;
  readonly found: FoundValue[];
}

const INDEX_PREFIX = 'index:';
const COUNT_PREFIX = 'count:';
/** Spellings of one value that are kept; one more counts as the first. */
const MAX_SPELLINGS = 32;
/** Others that take the same numbers or values at once make us try again; so often is no coincidence. */
const MAX_TRIES = 50;

/** The entry by which a value is found. */
export function indexEntry(session: SessionKey, { type, numeric, canonical }: Omit<Wanted, 'texts' | 'found'>): string {
  return INDEX_PREFIX + session.indexOf(type, numeric, canonical);
}

/**
 * Finds or makes the records of values, several thousand per round trip. A number is taken from a counter, the record is
 * written under it, and only then the value's index entry, by whoever is first: so no two processes give a value two
 * numbers or two values one, and what the index names is always there. Numbers of those who came second stay unused.
 */
export async function allocate(
  { store, contents, owner }: { store: Store; contents: Contents; owner: VaultOwner },
  values: readonly FoundValue[],
  source: string | undefined,
): Promise<ReadonlyMap<FoundValue, Known>> {
  const wanted = group(values);
  const result = new Map<FoundValue, Known>();
  for (let at = 0; at < wanted.length; at += BATCH_RECORDS) {
    let open = wanted.slice(at, at + BATCH_RECORDS);
    for (let tries = 0; open.length > 0; tries++) {
      if (tries === MAX_TRIES) throw corrupt();
      open = await round(open);
    }
  }
  return result;

  /** One try for a batch; resolves to those that have to be tried again. */
  async function round(batch: readonly Wanted[]): Promise<Wanted[]> {
    const session = await contents.current(true);
    if (session === undefined) throw corrupt();
    const { settled, absent } = await look(session, batch);
    const [fresh, lost] = await make(session, absent);
    const known = [...settled, ...fresh];
    const updated = await addSpellings(session, known);
    if (updated === undefined) return [...batch];
    for (const [{ found }, record] of updated) for (const value of found) result.set(value, record);
    return lost;
  }

  async function look(session: SessionKey, batch: readonly Wanted[]) {
    const held = batch.map(({ type, numeric, canonical }) => contents.nameOf(type, numeric, canonical));
    const unread = batch.filter((_, index) => held[index] === undefined);
    const keys = unread.map((value) => indexEntry(session, value));
    const entries = keys.length > 0 ? await store.get(contents.namespace, keys) : [];
    const indexed = new Map(unread.map((value, index) => [value, entries[index]]));
    const names = batch.map((value, index) => held[index] ?? indexed.get(value)?.toString());
    const records = await contents.load(
      session,
      names.filter((name) => name !== undefined),
    );
    const settled: [Wanted, Known][] = [];
    const absent: { value: Wanted; was: Buffer | null }[] = [];
    batch.forEach((value, index) => {
      const record = records.get(names[index] ?? '');
      // The index is not sealed; the record tells whether it spoke the truth.
      if (record && !isSame(record, value)) throw corrupt();
      if (record) settled.push([value, record]);
      else absent.push({ value, was: indexed.get(value) ?? null });
    });
    return { settled, absent };
  }

  async function make(
    session: SessionKey,
    absent: readonly { value: Wanted; was: Buffer | null }[],
  ): Promise<[[Wanted, Known][], Wanted[]]> {
    if (absent.length === 0) return [[], []];
    const names = await takeNames(
      session,
      absent.map(({ value }) => value.type),
    );
    const made = absent.map(({ value, was }, index) => ({
      value,
      was,
      known: recordOf(value, names[index] ?? '', source),
    }));
    const stored = await store.put(
      contents.namespace,
      made.map(({ known }) => ({
        key: recordEntry(known.name),
        value: sealRecord(session.records, owner, known),
        was: null,
      })),
    );
    // A number that is in use although the counter gave it: the counter was set back. The next is tried.
    const numbered = made.filter((_, index) => stored[index]);
    const index = numbered.map(
      ({ value, was, known }): Change => ({ key: indexEntry(session, value), value: known.name, was }),
    );
    const written = await contents.write(
      session,
      index,
      numbered.map(({ known }) => known.name),
    );
    const won = numbered.filter((_, at) => written?.[at]);
    const unused = numbered.filter((_, at) => !written?.[at]).map(({ known }) => recordEntry(known.name));
    if (unused.length > 0) await store.delete(contents.namespace, unused);
    for (const { known } of won) contents.add(known);
    const winners = new Set(won.map(({ value }) => value));
    return [
      won.map(({ value, known }) => [value, known]),
      absent.map(({ value }) => value).filter((value) => !winners.has(value)),
    ];
  }

  async function takeNames(session: SessionKey, types: readonly string[]): Promise<string[]> {
    const amounts: Record<string, number> = {};
    for (const type of types) amounts[COUNT_PREFIX + type] = (amounts[COUNT_PREFIX + type] ?? 0) + 1;
    const sums = await store.increment(contents.namespace, amounts);
    return types.map((type) => {
      const key = COUNT_PREFIX + type;
      amounts[key] = (amounts[key] ?? 0) - 1;
      const number = session.firstNumber + (sums[key] ?? 0) - (amounts[key] ?? 0);
      const name = `${type}_${number}`;
      if (number <= MAX_PLACEHOLDER_NUMBER && PLACEHOLDER_NAME.test(name)) return name;
      const message = `This session has no placeholder for one more ${type}: the name ${name} is not possible.`;
      throw new PiiError('PII_DENIED', `${message} Begin a new session, or give the type a shorter name.`);
    });
  }

  /** Notes spellings and sources that are new for values that are not. */
  async function addSpellings(session: SessionKey, known: [Wanted, Known][]): Promise<[Wanted, Known][] | undefined> {
    const changed = known.filter(([{ texts }, record]) => withSpellings(record, texts, source) !== record);
    if (changed.length === 0) return known;
    const keys = changed.map(([, { name }]) => recordEntry(name));
    const present = await store.get(contents.namespace, keys);
    const updates = new Map<Wanted, Known>();
    const changes: Change[] = [];
    for (const [index, [value, { name }]] of changed.entries()) {
      const [key = '', was] = [keys[index], present[index]];
      if (was === undefined) return undefined;
      // On what is there now: another process may have added a spelling since we read it.
      const update = withSpellings(openRecord(session.records, owner, name, was), value.texts, source);
      updates.set(value, update);
      changes.push({ key, value: sealRecord(session.records, owner, update), was });
    }
    const written = await contents.write(
      session,
      changes,
      changed.map(([, { name }]) => name),
    );
    if (written === undefined || written.includes(false)) return undefined;
    for (const record of updates.values()) contents.add(record);
    return known.map(([value, record]) => [value, updates.get(value) ?? record]);
  }
}

function group(values: readonly FoundValue[]): Wanted[] {
  const groups = new Map<string, Wanted>();
  for (const value of values) {
    const { type, text, numeric = false } = value;
    // Numbers have one spelling, and one that looks like another value's digits is another number.
    const canonical = numeric ? text : canonicalOf(type, text);
    const key = JSON.stringify([type, numeric, canonical]);
    const wanted = groups.get(key) ?? { type, numeric, canonical, texts: new Set(), found: [] };
    wanted.texts.add(text);
    wanted.found.push(value);
    groups.set(key, wanted);
  }
  return [...groups.values()];
}

function isSame(known: Known, { type, numeric, canonical }: Wanted): boolean {
  return known.type === type && known.numeric === numeric && known.canonical === canonical;
}

function recordOf({ type, numeric, canonical, texts }: Wanted, name: string, source: string | undefined): Known {
  const [first = '', ...others] = texts;
  const sources = source === undefined ? [] : [source];
  const spelling = (text: string): Spelling => ({ text, sources });
  return { name, type, numeric, canonical, spellings: [spelling(first), ...others.map(spelling)] };
}

/** The record with these spellings by this source; the same record when it has them. */
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
