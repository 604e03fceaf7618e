import { unescapeSteps } from '../../encodings/json-string.ts';
import { byStart, inOrderSteps } from '../../in-order.ts';
import { atOnce, PART_CHARACTERS, type Steps } from '../../slices.ts';
import type { Span, TextContext } from '../detector.ts';
import { keyFacts } from '../hints/key-facts.ts';
import { type KeyHint, keyHint } from '../hints/keys.ts';
import { schemaHint } from '../hints/schema.ts';
import { labelledSteps } from '../labels/labelled.ts';
import { rowCells } from '../labels/rows.ts';
import { overlapSteps } from '../overlaps.ts';
import { isNumericHint, type Leaf, leafSteps, scanNumber, stringSteps } from '../scanning/leaf.ts';
import { triggerSteps } from '../scanning/triggers.ts';
import { HAS, jsonSteps } from './json.ts';
import { type Cell, tableCells } from './table.ts';

/** The deepest level of JSON inside of JSON strings that is read. */
const MAX_NESTED_DOCUMENTS = 4;

/**
 * Finds personal data and secrets in a text by the built-in rules. Uses the keys of JSON,
 * lines of JSON and tables with a header. `context` contains the key of the text itself. Returns sorted spans without
 * overlaps. Takes time in proportion to the length of every text.
 */
export function detectText(text: string, context: TextContext = {}): Span[] {
  return atOnce(textSteps(text, context));
}

/** Returns the steps of {@link detectText}. */
export function textSteps(text: string, context: TextContext): Steps<Span[]> {
  return valueSteps(text, leafOf(context));
}

/** Returns the facts about a text by its position. */
export function leafOf({ key, schema }: TextContext): Leaf {
  return { hint: schemaHint(schema) ?? (key === undefined ? undefined : keyHint(key)) };
}

/** Finds values as `detectText` does, with the facts about the leaf. */
export function* valueSteps(text: string, leaf: Leaf): Steps<Span[]> {
  const found: Span[] = [];
  yield* documentSteps(text, leaf, 0, found);
  return yield* overlapSteps(found);
}

function* documentSteps(text: string, leaf: Leaf, depth: number, found: Span[]): Steps {
  const cursors: Part[] = [];
  const from = depth < MAX_NESTED_DOCUMENTS && looksLikeJson(text) ? yield* keyedSteps(text, depth, found, cursors) : 0;
  const cells = from > 0 ? undefined : tableCells(text);
  if (from >= text.length || cells) {
    const spans: Span[] = [];
    yield* triggerSteps(text, spans, depth === 0 ? decodedSpans : undefined);
    for (const span of cursors.length === 0 ? spans : yield* outsideSteps(spans, cursors)) found.push(span);
  }
  if (cells) yield* tableSteps(text, cells, found);
  else if (from < text.length) yield* restSteps(text, from, leaf, depth, found);
}

/** Returns the spans of a decoded text, without decoding again. */
function decodedSpans(text: string): readonly Span[] {
  const found: Span[] = [];
  atOnce(documentSteps(text, { hint: undefined }, 1, found));
  return found;
}

function* tableSteps(text: string, cells: Iterable<Cell>, found: Span[]): Steps {
  let pauseAt = PART_CHARACTERS;
  for (const { start, end, key, hint } of cells) {
    if (end > start) {
      yield* partSteps(text.slice(start, end), start, { hint, id: keyFacts(key).id, place: 'value' }, found);
    }
    if (end < pauseAt) continue;
    pauseAt = end + PART_CHARACTERS;
    yield;
  }
  const headerEnd = text.indexOf('\n');
  yield* partSteps(text.slice(0, headerEnd), 0, { hint: undefined }, found);
}

/** A part of a text. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/** Returns the spans that do not touch any of the parts, which are in order. */
function* outsideSteps(spans: readonly Span[], parts: readonly Part[]): Steps<Span[]> {
  const kept: Span[] = [];
  let at = 0;
  for (const [index, span] of (yield* inOrderSteps(spans, byStart)).entries()) {
    if (index % PART_CHARACTERS === PART_CHARACTERS - 1) yield;
    while ((parts[at]?.end ?? Number.POSITIVE_INFINITY) <= span.start) at++;
    if ((parts[at]?.start ?? Number.POSITIVE_INFINITY) >= span.end) kept.push(span);
  }
  return kept;
}

/**
 * Scans the strings and numbers of JSON, adds the tokens of pages, and returns the offset up to which the text
 * is JSON.
 */
function* keyedSteps(text: string, depth: number, found: Span[], cursors: Part[]): Steps<number> {
  const long: Steps[] = [];
  const read = yield* jsonSteps(text, {
    number(start, end, hint) {
      if (!isNumericHint(hint)) return;
      const span = scanNumber(text.slice(start, end), hint);
      if (span) found.push({ ...span, start: start + span.start, end: start + span.end });
    },
    string(start, end, has, hint, facts) {
      if (hint === 'CURSOR') cursors.push({ start, end });
      if (!deservesLook(has, hint, end - start)) return;
      const folded = (has & (HAS.odd | HAS.escape)) === 0;
      const leaf: Leaf = { hint, id: facts.id, place: facts.key === '' ? 'text' : 'value', folded };
      const value = text.slice(start, end);
      const steps =
        (has & HAS.escape) === 0
          ? partSteps(value, start, leaf, found)
          : escapedSteps(value, start, leaf, depth, found);
      if (value.length > PART_CHARACTERS) long.push(steps);
      else atOnce(steps);
    },
  });
  for (const steps of long) yield* steps;
  return read;
}

/** Checks by its kinds of characters whether a string can contain a value. */
function deservesLook(has: number, hint: KeyHint | undefined, length: number): boolean {
  if ((has & (HAS.at | HAS.odd | HAS.escape)) !== 0) return true;
  if (hint === 'OTHER') return (has & HAS.digit) !== 0 && (has & HAS.letter) !== 0 && length > 14;
  return (
    (has & HAS.digit) !== 0 || hint === 'NAME' || hint === 'ADDRESS' || hint === 'ADDRESS_PART' || hint === 'SECRET'
  );
}

function* escapedSteps(value: string, start: number, leaf: Leaf, depth: number, found: Span[]): Steps {
  const plain = yield* unescapeSteps(value);
  const spans: Span[] = [];
  yield* documentSteps(plain.text, leaf, depth + 1, spans);
  for (const [index, span] of spans.entries()) {
    found.push({ ...span, start: start + plain.start(span.start), end: start + plain.end(span.end - 1) });
    if (index % PART_CHARACTERS === PART_CHARACTERS - 1) yield;
  }
}

/** Scans a text without keys, or the part after JSON: of a truncated result, or prose. */
function* restSteps(text: string, from: number, leaf: Leaf, depth: number, found: Span[]): Steps {
  const spans: Span[] = [];
  yield* stringSteps(text, leaf, spans, depth === 0 ? decodedSpans : undefined);
  if (leaf.hint === undefined || leaf.hint === 'TEXT') {
    yield* labelledSteps(text, spans);
    for (const { start, end, key, hint } of rowCells(text)) {
      yield* partSteps(text.slice(start, end), start, { hint, id: keyFacts(key).id, place: 'value' }, spans);
    }
  }
  for (const span of spans) if (span.end > from) found.push(span);
}

function* partSteps(value: string, offset: number, leaf: Leaf, found: Span[]): Steps {
  const before = found.length;
  yield* leafSteps(value, leaf, found);
  for (let index = before; index < found.length; index++) {
    const span = found[index];
    if (span) found[index] = { ...span, start: offset + span.start, end: offset + span.end };
  }
}

function looksLikeJson(text: string): boolean {
  return /^\s{0,100}[[{]\s{0,100}["[\]{}\d\-tfn]/.test(text);
}
