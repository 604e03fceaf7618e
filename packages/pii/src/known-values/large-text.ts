import { inSlices } from '../slices.ts';
import { foundSteps } from '../workers/message.ts';
import { searchWorkers } from '../workers/pool.ts';
import { allMatchSteps } from './encoded-matches.ts';
import { createFinder, type Finder, type Match } from './matches.ts';
import type { KnownSpellings } from './patterns.ts';

/** Copying more values to a thread would take this thread longer than a slice. */
const MAX_SENT_VALUES = 1_000;
const MAX_SENT_CHARACTERS = 131_072;

/** A known value, with all of its spellings. */
interface SentValue {
  readonly name: string;
  readonly type: string;
  readonly texts: readonly string[];
}

/** The search for known values. */
export interface ValuesSearch {
  readonly values: readonly SentValue[];
}

/** Returns the known values in a large text, as `allMatchSteps` does: in a thread if one is free. */
export async function matchesInLargeText(finder: Finder, text: string): Promise<readonly Match[]> {
  const values = sentValues(finder.values);
  const found = values && (await searchWorkers.find(text, { values } satisfies ValuesSearch));
  if (!found) return inSlices(allMatchSteps(finder, text));
  return inSlices(foundSteps(found, (start, end, kind) => ({ start, end, name: values[kind]?.name ?? '' })));
}

/** Returns a finder of values from another thread. */
export function finderOf(values: readonly SentValue[]): Finder {
  const finder = createFinder();
  for (const { name, type, texts } of values) finder.add({ name, type, spellings: texts.map((text) => ({ text })) });
  return finder;
}

function sentValues(values: readonly KnownSpellings[]): SentValue[] | undefined {
  if (values.length > MAX_SENT_VALUES) return undefined;
  const sent = values.map(({ name, type, spellings }) => ({ name, type, texts: spellings.map(({ text }) => text) }));
  const characters = sent.reduce((sum, { texts }) => texts.reduce((all, { length }) => all + length, sum), 0);
  return characters > MAX_SENT_CHARACTERS ? undefined : sent;
}
