import { PiiError } from '../../errors.ts';
import { MAX_PLACEHOLDER_NUMBER, PLACEHOLDER_NAME } from '../../placeholder.ts';
import { inSlices } from '../../slices.ts';
import type { SessionKey } from '../keys/session-key.ts';
import { type Page, pageSteps, sealPage } from '../page.ts';
import type { Change } from '../store.ts';
import type { AbsentValue, AllocationTarget, WantedValue } from '../wanted-value.ts';
import { indexText } from './index-entry.ts';
import type { Known, Spelling } from './record.ts';

const COUNT_PREFIX = 'count:';

/** Creates records for values without one. `lost` are values to retry, because another process was faster. */
export async function createRecords(
  target: AllocationTarget,
  session: SessionKey,
  absent: readonly AbsentValue[],
): Promise<{ created: [WantedValue, Known][]; lost: WantedValue[] }> {
  if (absent.length === 0) return { created: [], lost: [] };
  const { contents, owner, source } = target;
  const names = await takeNames(
    target,
    session,
    absent.map(({ value }) => value.type),
  );
  const made = absent
    .map((one, index) => ({ ...one, known: recordOf(one.value, names[index] ?? '', source) }))
    // After a reset of the counter, its number may be used already. The next round takes the next number.
    .filter(({ known }) => !contents.isIssued(known.name));
  const pages = await inSlices(
    pageSteps(
      session.records,
      owner,
      made.map(({ known }) => known),
    ),
  );
  const issued = [...pages].map(([id, { records }]) => [id, records.map(({ name }) => name)] as const);
  const pageOf = new Map(issued.flatMap(([id, ofPage]) => ofPage.map((name) => [name, id] as const)));
  const sealed = [...pages.values()].map(({ entry, sealed: value }): Change => ({ key: entry, value, was: null }));
  const index = made.map(
    ({ entry, was, known: { name } }): Change => ({ key: entry, value: indexText(name, pageOf.get(name) ?? ''), was }),
  );
  const written = await contents.write(session, [...sealed, ...index], Object.fromEntries(issued));
  const isOwn = ({ name }: Known) => contents.placeOf(name) === pages.get(pageOf.get(name) ?? '')?.entry;
  const won = made.filter(({ known }, at) => written?.[sealed.length + at] && isOwn(known));
  await dropUnused(target, session, [...pages.values()], written && new Set(won.map(({ known }) => known)));
  for (const { known } of won) contents.add(known);
  const winners = new Set(won.map(({ value }) => value));
  return {
    created: won.map(({ value, known }) => [value, known]),
    lost: absent.map(({ value }) => value).filter((value) => !winners.has(value)),
  };
}

/** Removes the records of values that another process has created meanwhile. Without `used`, the key was wrapped again, or the vault ended. */
async function dropUnused(
  { store, contents, owner }: AllocationTarget,
  session: SessionKey,
  pages: readonly Page[],
  used: ReadonlySet<Known> | undefined,
): Promise<void> {
  // After a rotation the key is the same, and the next round finds the records by the index.
  if (used === undefined && (await contents.current())?.records.id.equals(session.records.id)) return;
  for (const { entry, records, sealed } of pages) {
    const kept = records.filter((record) => used?.has(record));
    if (kept.length === records.length) continue;
    if (kept.length === 0) await store.delete(contents.namespace, [entry]);
    else {
      const value = sealPage(session.records, owner, entry, kept);
      await store.put(contents.namespace, [{ key: entry, value, was: sealed }]);
    }
  }
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
