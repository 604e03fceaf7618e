import { PiiError } from '../errors.ts';
import { MAX_PLACEHOLDER_NUMBER, PLACEHOLDER_NAME } from '../placeholder.ts';
import { mapInSlices } from '../slices.ts';
import { recordEntry } from './contents.ts';
import { type Known, type Spelling, sealRecord } from './record.ts';
import type { SessionKey } from './session-key.ts';
import type { Change } from './store.ts';
import type { AbsentValue, AllocationTarget, WantedValue } from './wanted-value.ts';

const COUNT_PREFIX = 'count:';

/** Creates records for values without one. `lost` are values to retry, because another process was faster. */
export async function createRecords(
  target: AllocationTarget,
  session: SessionKey,
  absent: readonly AbsentValue[],
): Promise<{ created: [WantedValue, Known][]; lost: WantedValue[] }> {
  if (absent.length === 0) return { created: [], lost: [] };
  const { store, contents, owner, source } = target;
  const names = await takeNames(
    target,
    session,
    absent.map(({ value }) => value.type),
  );
  const made = absent.map(({ value, entry, was }, index) => ({
    value,
    entry,
    was,
    known: recordOf(value, names[index] ?? '', source),
  }));
  const stored = await store.put(
    contents.namespace,
    await mapInSlices(made, ({ known }) => ({
      key: recordEntry(known.name),
      value: sealRecord(session.records, owner, known),
      was: null,
    })),
  );
  // After a reset of the counter, its number may already have a record. The next round takes the next number.
  const numbered = made.filter((_, index) => stored[index]);
  const index = numbered.map(({ entry, was, known }): Change => ({ key: entry, value: known.name, was }));
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
  return {
    created: won.map(({ value, known }) => [value, known]),
    lost: absent.map(({ value }) => value).filter((value) => !winners.has(value)),
  };
}

/** Takes the next placeholder names from the counters. Raises `PII_DENIED` if a name is not possible. */
async function takeNames(
  { store, contents, numbers }: AllocationTarget,
  session: SessionKey,
  types: readonly string[],
): Promise<string[]> {
  const amounts: Record<string, number> = {};
  for (const type of types) amounts[COUNT_PREFIX + type] = (amounts[COUNT_PREFIX + type] ?? 0) + 1;
  const sums: Record<string, number> = {};
  if (!numbers) Object.assign(sums, await store.increment(contents.namespace, amounts));
  else
    for (const [key, amount] of Object.entries(amounts))
      sums[key] = await numbers.take(key.slice(COUNT_PREFIX.length), amount);
  return types.map((type) => {
    const key = COUNT_PREFIX + type;
    amounts[key] = (amounts[key] ?? 0) - 1;
    const number = session.firstNumber + (sums[key] ?? 0) - (amounts[key] ?? 0);
    const name = `${type}_${number}`;
    if (number <= MAX_PLACEHOLDER_NUMBER && PLACEHOLDER_NAME.test(name)) return name;
    const limits = `A type has 2 to 24 capital letters, digits and "_", a number at most ${MAX_PLACEHOLDER_NUMBER}.`;
    throw new PiiError(
      'PII_DENIED',
      `"${name}" is not a valid placeholder name. ${limits} Start a new session, or rename the type.`,
    );
  });
}

function recordOf({ type, numeric, canonical, texts }: WantedValue, name: string, source: string | undefined): Known {
  const [first = '', ...others] = texts;
  const sources = source === undefined ? [] : [source];
  const spelling = (text: string): Spelling => ({ text, sources });
  return { name, type, numeric, canonical, spellings: [spelling(first), ...others.map(spelling)] };
}
