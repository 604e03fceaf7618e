import pLimit from 'p-limit';
import { mayHaveEncoding } from '../encodings/layers.ts';
import { PiiError } from '../errors.ts';
import { type Leaf, mapSteps, visitSteps } from '../json-walk.ts';
import { allMatchSteps, redactAllSteps } from '../known-values/encoded-matches.ts';
import { matchesInLargeText } from '../known-values/large-text.ts';
import { createFinder, type Finder, type Match } from '../known-values/matches.ts';
import { matchesIn, matchSteps, redactInPieces } from '../known-values/pieces.ts';
import { isOnlyPlaceholder, PLACEHOLDER_NAME } from '../placeholder.ts';
import {
  atOnce,
  atOnceIfShort,
  inSlices,
  type Later,
  mapInSlices,
  PART_CHARACTERS,
  PART_ITEMS,
  type Steps,
} from '../slices.ts';
import type { KnownValues, Vault } from '../vault/vault.ts';
import { LARGE_CHARACTERS } from '../workers/pool.ts';
import type { Found, FoundAt } from './redact.ts';

/** Shorter numbers are too common to be a known value. */
const MIN_KNOWN_DIGITS = 7;
/** Whole numbers with fewer digits, also with a sign. */
const MAX_SHORT_NUMBER = 10 ** (MIN_KNOWN_DIGITS - 2);

/** Replaces values that a session knows by their placeholders, in every spelling and encoding that is searched for. */
export interface KnownValueRedactor {
  /** Returns at once whether there are no values. False where only the store of the vault knows. */
  isEmpty(): boolean;
  /** Redacts a text. */
  text(text: string): Promise<string>;
  /** Redacts a JSON value: its texts, numbers and keys. A number that is a known value becomes a text. */
  json(value: unknown): Promise<unknown>;
  /**
   * Returns the positions of known values outside of placeholders, as `redactFindings` accepts them. With `isRecent`, the vault
   * has just looked for the values of other processes, and is not asked again.
   */
  findings(value: unknown, options?: { readonly isRecent?: boolean }): Promise<readonly FoundAt[]>;
  /** Returns the positions of known values in a text. */
  look(text: string): Promise<readonly Found[]>;
  /** Returns the placeholder names of the known values in each text. */
  namesIn(texts: readonly string[]): Promise<ReadonlySet<string>[]>;
  /** Redacts a text that arrives in pieces. The output is the same for all cuts. */
  stream(): KnownValueStream;
}

/** Returns text as soon as no known value can begin in it. After a rejection, show nothing more of the stream. */
export interface KnownValueStream {
  push(piece: string): Promise<string>;
  end(): Promise<string>;
}

export interface KnownValueOptions {
  /** Called when values of the vault were forgotten. */
  readonly onForgotten?: () => void;
}

/**
 * Creates a redactor for the values of one vault, including values that other processes add. It finds a value in any case,
 * without accents and invisible characters, as digits alone, and escaped or encoded for URLs, JSON, hex and base64. It
 * finds values of 3 to 5 characters only as a whole word in their own case, and shorter ones not at all. Rejects as the
 * vault does: show nothing then.
 */
export function createKnownValueRedactor(vault: Vault, { onForgotten }: KnownValueOptions = {}): KnownValueRedactor {
  const { isEmpty, latest, current } = openFinder(vault, onForgotten);
  return {
    isEmpty,
    text: async (text) => inSlices(redactAllSteps(await current(), text)),
    async json(value) {
      if (isEmpty()) return value;
      const finder = await current();
      if (finder.values.length === 0) return value;
      const redact = (text: string) =>
        isOnlyPlaceholder(text) || hasNone(finder, text)
          ? text
          : atOnceIfShort(text.length, redactAllSteps(finder, text));
      return inSlices(mapSteps(value, (leaf) => redactLeaf(leaf, redact), redact));
    },
    async findings(value, { isRecent = false } = {}) {
      if (isEmpty()) return NO_FINDINGS;
      const finder = await current(isRecent);
      if (finder.values.length === 0) return NO_FINDINGS;
      const { findings, isAsked } = await inSlices(findingSteps(finder, value));
      // Without a large text, every finding has spans.
      return isAsked
        ? (await Promise.all(findings)).filter(({ spans }) => spans.length > 0)
        : (findings as readonly FoundAt[]);
    },
    look: async (text) => inSlices(spansOf(await inSlices(allMatchSteps(await current(), text)))),
    async namesIn(texts) {
      const finder = await current();
      return inSlices(nameSteps(finder, texts));
    },
    stream() {
      const pieces = redactInPieces(latest);
      let failed = false;
      const step = async (work: () => string): Promise<string> => {
        // Text that was held back at a failure is never shown.
        if (failed) throw new PiiError('CLOSED', 'The stream failed earlier and returns no more text. Open a new one.');
        failed = true;
        await current();
        const text = work();
        failed = false;
        return text;
      };
      return { push: (piece) => step(() => pieces.push(piece)), end: () => step(() => pieces.end()) };
    },
  };
}

const NO_FINDINGS: readonly FoundAt[] = [];

interface OpenFinder {
  readonly isEmpty: KnownValueRedactor['isEmpty'];
  /** Returns the finder as it is. */
  latest(): Finder;
  /** Returns the finder with all values of the vault; with `isRecent`, those of its last look. */
  current(isRecent?: boolean): Promise<Finder>;
}

/** Keeps a finder up to date with a vault. */
function openFinder(vault: Vault, onForgotten: (() => void) | undefined): OpenFinder {
  const oneByOne = pLimit(1);
  let finder = createFinder();
  let seen: KnownValues = { generation: Number.NaN, list: [] };
  let taken = 0;
  const isCurrent = (known: KnownValues) => known.generation === seen.generation && known.list.length === taken;
  async function update(known: KnownValues): Promise<Finder> {
    // Another call may have read a later state meanwhile.
    if (isCurrent(known) || known.generation < seen.generation) return finder;
    const isNew = known.generation !== seen.generation;
    if (isNew && taken > 0) onForgotten?.();
    // A new finder is used only when it is complete.
    const updated = isNew ? createFinder() : finder;
    const values = known.list.slice(isNew ? 0 : taken);
    await mapInSlices(values, (value) => updated.add(value));
    finder = updated;
    taken = (isNew ? 0 : taken) + values.length;
    seen = known;
    return finder;
  }
  return {
    isEmpty: () => taken === 0 && vault.isEmpty(),
    latest: () => finder,
    async current(isRecent = false) {
      const known = await vault.known(isRecent);
      return isCurrent(known) ? finder : oneByOne(() => update(known));
    },
  };
}

/** Checks quickly whether a short text without encodings has no known value. */
function hasNone(finder: Finder, text: string): boolean {
  return text.length <= PART_CHARACTERS && !mayHaveEncoding(text) && matchesIn(finder, text).length === 0;
}

/** Redacts a leaf. A number without a known value stays a number. */
function redactLeaf(leaf: Leaf, redact: (text: string) => Later<string>): Later<Leaf> {
  if (typeof leaf === 'string') return redact(leaf);
  const text = String(leaf);
  const redacted = redact(text);
  return redacted === text ? leaf : redacted;
}

/** The findings in a value. Those of large texts come later, and may have no spans: `isAsked` is set then. */
interface Findings {
  readonly findings: readonly (FoundAt | Promise<FoundAt>)[];
  readonly isAsked: boolean;
}

function* findingSteps(finder: Finder, value: unknown): Steps<Findings> {
  const findings: (FoundAt | Promise<FoundAt>)[] = [];
  let isAsked = false;
  if (finder.reach() === 0) return { findings, isAsked };
  const keys = new Set<string>();
  function* longSteps(text: string, found: Omit<FoundAt, 'spans'>): Steps {
    const matches = yield* allMatchSteps(finder, text);
    if (matches.length > 0) findings.push({ ...found, spans: yield* spansOf(matches) });
  }
  const add = (found: Omit<FoundAt, 'spans'>, matches: readonly Match[]) => {
    findings.push({ ...found, spans: atOnce(spansOf(matches)) });
  };
  const addLarge = (text: string, found: Omit<FoundAt, 'spans'>) => {
    const asked = matchesInLargeText(finder, text).then(async (matches) => {
      return { ...found, spans: await inSlices(spansOf(matches)) };
    });
    // It may fail before the last leaf is reached, when nothing waits for it yet.
    asked.catch(() => undefined);
    findings.push(asked);
    isAsked = true;
  };
  const find = (text: string, found: () => Omit<FoundAt, 'spans'>): Later<void> => {
    if (finder.clean.has(text)) return undefined;
    if (text.length >= LARGE_CHARACTERS) return addLarge(text, found());
    if (text.length > PART_CHARACTERS || mayHaveEncoding(text)) return longSteps(text, found());
    const matches = matchesIn(finder, text);
    return matches.length > 0 ? add(found(), matches) : finder.clean.add(text);
  };
  let number = 0;
  yield* visitSteps(value, {
    leaf(leaf) {
      const own = number++;
      if (typeof leaf === 'number' && Math.abs(leaf) < MAX_SHORT_NUMBER && Number.isInteger(leaf)) return undefined;
      const text = String(leaf);
      if (typeof leaf !== 'string' ? text.length < MIN_KNOWN_DIGITS : isOnlyPlaceholder(text)) return undefined;
      return find(text, () => ({ leaf: own, value: leaf }));
    },
    key(key) {
      if (keys.has(key)) return undefined;
      keys.add(key);
      return find(key, () => ({ leaf: number, value: key, inKey: true }));
    },
  });
  return { findings, isAsked };
}

function* nameSteps(finder: Finder, texts: readonly string[]): Steps<ReadonlySet<string>[]> {
  const names: ReadonlySet<string>[] = [];
  for (const text of texts) {
    names.push(new Set((yield* matchSteps(finder, text)).map(({ name }) => name)));
    yield;
  }
  return names;
}

function* spansOf(matches: readonly Match[]): Steps<Found[]> {
  const spans: Found[] = [];
  for (const { start, end, name } of matches) {
    if (spans.push({ start, end, type: typeOf(name) }) % PART_ITEMS === 0) yield;
  }
  return spans;
}

/** Returns the type in the name of a placeholder. */
function typeOf(name: string): string {
  return PLACEHOLDER_NAME.exec(name)?.[1] ?? '';
}
