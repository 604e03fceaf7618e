import type { Span, TextContext } from '../detector.ts';
import { keyFacts } from '../hints/key-facts.ts';
import { type KeyHint, keyHint } from '../hints/keys.ts';
import { schemaHint } from '../hints/schema.ts';
import { resolveOverlaps } from '../overlaps.ts';
import { isNumericHint, type Leaf, scanLeaf, scanNumber, scanString } from '../scanning/leaf.ts';
import { scanTriggers } from '../scanning/triggers.ts';
import { HAS, readJson } from './json.ts';
import { unescapeJson } from './json-string.ts';
import { type Cell, tableCells } from './table.ts';

/** The deepest level of JSON inside of JSON strings that is read. */
const MAX_NESTED_DOCUMENTS = 4;

/**
 * Finds personal data and secrets in a text by the built-in rules. Uses the keys of JSON,
 * lines of JSON and tables with a header. `context` contains the key of the text itself. Returns sorted spans without
 * overlaps. Takes time in proportion to the length of every text.
 */
export function detectText(text: string, context: TextContext = {}): Span[] {
  const hint = schemaHint(context.schema) ?? (context.key === undefined ? undefined : keyHint(context.key));
  return detectLeaf(text, { hint });
}

/** Finds values as `detectText` does, with the facts about the leaf. */
export function detectLeaf(text: string, leaf: Leaf): Span[] {
  const found: Span[] = [];
  scanDocument(text, leaf, 0, found);
  return resolveOverlaps(found);
}

function scanDocument(text: string, leaf: Leaf, depth: number, found: Span[]): void {
  const from = depth < MAX_NESTED_DOCUMENTS && looksLikeJson(text) ? scanJson(text, depth, found) : 0;
  const cells = from > 0 ? undefined : tableCells(text);
  if (from >= text.length || cells) scanTriggers(text, found, depth === 0 ? decodedSpans : undefined);
  if (cells) scanTable(text, cells, found);
  else if (from < text.length) scanRest(text, from, leaf, depth, found);
}

/** Returns the spans of a decoded text, without decoding again. */
function decodedSpans(text: string): readonly Span[] {
  const found: Span[] = [];
  scanDocument(text, { hint: undefined }, 1, found);
  return found;
}

function scanTable(text: string, cells: Iterable<Cell>, found: Span[]): void {
  for (const { start, end, key, hint } of cells) {
    if (end > start) scanPart(text.slice(start, end), start, { hint, id: keyFacts(key).id, place: 'value' }, found);
  }
  const headerEnd = text.indexOf('\n');
  scanPart(text.slice(0, headerEnd), 0, { hint: undefined }, found);
}

/** Scans the strings and numbers of JSON, and returns the offset up to which the text is JSON. */
function scanJson(text: string, depth: number, found: Span[]): number {
  return readJson(text, {
    number(start, end, hint) {
      if (!isNumericHint(hint)) return;
      const span = scanNumber(text.slice(start, end), hint);
      if (span) found.push({ ...span, start: start + span.start, end: start + span.end });
    },
    string(start, end, has, hint, facts) {
      if (!deservesLook(has, hint, end - start)) return;
      const folded = (has & (HAS.odd | HAS.escape)) === 0;
      const leaf: Leaf = { hint, id: facts.id, place: facts.key === '' ? 'text' : 'value', folded };
      const value = text.slice(start, end);
      if ((has & HAS.escape) === 0) scanPart(value, start, leaf, found);
      else scanEscaped(value, start, leaf, depth, found);
    },
  });
}

/** Checks by its kinds of characters whether a string can contain a value. */
function deservesLook(has: number, hint: KeyHint | undefined, length: number): boolean {
  if ((has & (HAS.at | HAS.odd | HAS.escape)) !== 0) return true;
  if (hint === 'OTHER') return (has & HAS.digit) !== 0 && (has & HAS.letter) !== 0 && length > 14;
  return (
    (has & HAS.digit) !== 0 || hint === 'NAME' || hint === 'ADDRESS' || hint === 'ADDRESS_PART' || hint === 'SECRET'
  );
}

function scanEscaped(value: string, start: number, leaf: Leaf, depth: number, found: Span[]): void {
  const plain = unescapeJson(value);
  const spans: Span[] = [];
  scanDocument(plain.text, leaf, depth + 1, spans);
  for (const span of spans) {
    found.push({ ...span, start: start + plain.start(span.start), end: start + plain.end(span.end - 1) });
  }
}

/** Scans a text without keys, or the part after JSON: of a truncated result, or prose. */
function scanRest(text: string, from: number, leaf: Leaf, depth: number, found: Span[]): void {
  const spans: Span[] = [];
  scanString(text, leaf, spans, depth === 0 ? decodedSpans : undefined);
  for (const span of spans) if (span.end > from) found.push(span);
}

function scanPart(value: string, offset: number, leaf: Leaf, found: Span[]): void {
  const before = found.length;
  scanLeaf(value, leaf, found);
  for (let index = before; index < found.length; index++) {
    const span = found[index];
    if (span) found[index] = { ...span, start: offset + span.start, end: offset + span.end };
  }
}

function looksLikeJson(text: string): boolean {
  return /^\s{0,100}[[{]\s{0,100}["[\]{}\d\-tfn]/.test(text);
}
