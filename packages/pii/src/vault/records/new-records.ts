import { inSlices } from '../../slices.ts';
import type { SessionKey } from '../keys/session-key.ts';
import { type Page, pageSteps, sealPage } from '../page.ts';
import type { Change } from '../store.ts';
import type { AbsentValue, AllocationTarget, WantedValue } from '../wanted-value.ts';
import { indexText } from './index-entry.ts';
import type { Known, Spelling } from './record.ts';

/** Creates records for values without one. `lost` are values to retry, because another process was faster. */
export async function createRecords(
  target: AllocationTarget,
  session: SessionKey,
  absent: readonly AbsentValue[],
): Promise<{ created: [WantedValue, Known][]; lost: WantedValue[] }> {
  if (absent.length === 0) return { created: [], lost: [] };
  const { contents, owner, source } = target;
  const types = absent.map(({ value }) => value.type);
  const names = await target.names.take(session, types);
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

function recordOf({ type, numeric, canonical, texts }: WantedValue, name: string, source: string | undefined): Known {
  const [first = '', ...others] = texts;
  const sources = source === undefined ? [] : [source];
  const spelling = (text: string): Spelling => ({ text, sources });
  return { name, type, numeric, canonical, spellings: [spelling(first), ...others.map(spelling)] };
}
