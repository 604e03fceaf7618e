import type { PiiType } from '../detection/detector.ts';
import { readEncodedValue } from '../encodings/escapes.ts';
import { looksLikeJson, tokenSteps } from '../encodings/json-strings.ts';
import { type Edit, type Layer, liftSteps, outsideSteps, withEditsSteps } from '../encodings/layer.ts';
import { layerSteps, MAX_LAYERS } from '../encodings/layers.ts';
import { layerEdits, ownEdits, type Rewriting, rewriteSteps } from '../encodings/rewrite.ts';
import { byStart, byStartAndLength, inOrderSteps } from '../in-order.ts';
import { exactNumber } from '../json-walk.ts';
import { escaped, unescaped, writePlaceholder } from '../placeholder.ts';
import { atOnceIfShort, inSlices, type Later, mapInSlices, PART_ITEMS, type Steps } from '../slices.ts';
import type { FoundValue } from '../vault/vault.ts';
import type { Distinct } from './distinct-values.ts';

/** The part of a span that redaction reads. */
export interface Found {
  readonly start: number;
  readonly end: number;
  readonly type: PiiType;
}

/** Returns the findings in a decoded text. */
export type Look = (decoded: string) => Promise<readonly Found[]>;

/** A text whose values are replaced inside of its encoded texts. */
export interface EncodedText {
  /** The values, each once. */
  readonly values: Iterable<FoundValue>;
  /** Returns the text with a placeholder in place of each value. */
  readonly write: (placeholderOf: (value: FoundValue) => string) => Later<string>;
}

export interface ReadOptions {
  readonly types: ReadonlySet<string>;
  readonly look: Look;
  /** See `distinctValues`. */
  readonly distinct: Distinct;
  /** Removes placeholders from spans, for texts of programs. Look-alikes are escaped without it. */
  readonly outside?: (text: string, spans: readonly Found[]) => Steps<readonly Found[]>;
}

/** Escapes of URLs, HTML, JSON and quoted-printable. The plus sign of a phone number is none. */
const ENCODED = /[%&\\]|.\+|=[0-9A-F]{2}/s;
const MIN_BLOCK_CHARS = 8;
/** Characters outside of base64, hexadecimal digits and their lines. */
const NOT_BLOCK = /[^\w+/=\f\r\n \t\\-]|(?<![\r\n \t])[ \t]|\\(?![rn])/;
/** Numbers of placeholders that only the check uses. */
const FIRST_TRIAL_NUMBER = 9_000_000;

/** Returns the steps to whether values of a text may be in an encoding. */
export function* mayBeEncodedSteps(text: string, spans: readonly Found[]): Steps<boolean> {
  if (looksLikeJson(text)) return true;
  for (const [index, { start, end }] of spans.entries()) {
    if (index % PART_ITEMS === PART_ITEMS - 1) yield;
    const value = text.slice(start, end);
    if (ENCODED.test(value) || (value.length >= MIN_BLOCK_CHARS && !NOT_BLOCK.test(value))) return true;
  }
  return false;
}

/**
 * Reads the values of a text inside of its encodings. Returns undefined if the text with placeholders would not restore to
 * the same text.
 */
export async function readEncodedText(
  text: string,
  spans: readonly Found[],
  options: ReadOptions,
): Promise<EncodedText | undefined> {
  const node = await nodeOf(text, spans, options, 0);
  function* writeSteps(placeholderOf: (value: FoundValue) => string): Steps<string> {
    return yield* withEditsSteps(text, yield* editsOf(node, placeholderOf));
  }
  const encoded: EncodedText = {
    values: await inSlices(valuesOf(node, new Set())),
    write: (placeholderOf) => atOnceIfShort(text.length, writeSteps(placeholderOf)),
  };
  return (await inSlices(restoresSteps(text, encoded, options))) ? encoded : undefined;
}

/** The values and layers of one text. */
interface Node {
  readonly values: readonly PlacedValue[];
  readonly layers: readonly { readonly layer: Layer; readonly node: Node }[];
  /** Look-alikes with their escapes. */
  readonly escapes: readonly Edit[];
}

interface PlacedValue {
  readonly start: number;
  readonly end: number;
  readonly value: FoundValue;
  readonly place: (placeholder: string) => string;
  /** Set if the placeholder has plain brackets. */
  readonly isPlain: boolean;
}

async function nodeOf(text: string, found: readonly Found[], options: ReadOptions, depth: number): Promise<Node> {
  const { outside } = options;
  const spans = await inSlices(mergedSteps(outside ? await inSlices(outside(text, found)) : found));
  const all = depth >= MAX_LAYERS ? [] : await inSlices(layerSteps(text));
  const layers: { layer: Layer; node: Node }[] = [];
  const own = new Set(spans);
  let first = 0;
  for (const [index, layer] of all.entries()) {
    if (index % PART_ITEMS === PART_ITEMS - 1) await inSlices(pause());
    while ((spans[first]?.end ?? Number.POSITIVE_INFINITY) <= layer.start) first++;
    let end = first;
    while ((spans[end]?.start ?? Number.POSITIVE_INFINITY) < layer.end) end++;
    const inside = spans.slice(first, end);
    const inner = inside.length === 0 ? undefined : await spansIn(layer, inside, options);
    if (inner === undefined) continue;
    await mapInSlices(inside, (span) => own.delete(span));
    layers.push({ layer, node: await nodeOf(layer.text, inner, options, depth + 1) });
  }
  const rest = [...own];
  const values = await inSlices(valueSteps(text, rest, options.distinct));
  const opened = new Set(layers.map(({ layer }) => layer));
  const closed = all.filter((layer) => !opened.has(layer));
  const escapes = outside ? [] : await inSlices(escapeSteps(text, closed, [...rest, ...opened], options, depth));
  return { values, layers, escapes };
}

/** Lets other work run: short steps have no pause. */
function* pause(): Steps {
  yield;
}

/** Returns the spans of the decoded text of a layer, or undefined if the layer stays as it is or is replaced as a whole. */
async function spansIn(
  layer: Layer,
  spans: readonly Found[],
  { look }: ReadOptions,
): Promise<readonly Found[] | undefined> {
  const { inner, start, end, text } = layer;
  if (spans.some((span) => span.start < start || span.end > end + 1)) return undefined;
  if (inner) return mapInSlices(spans, (span) => ({ ...span, start: inner(span.start), end: inner(span.end) }));
  const found = await look(text);
  // A span of another type is a value as a whole, by its key.
  const isInside = spans.every(({ type }) => found.some((one) => one.type === type));
  return found.length > 0 && isInside ? found : undefined;
}

function* valueSteps(text: string, spans: readonly Found[], distinct: Distinct): Steps<PlacedValue[]> {
  const isJson = spans.length > 0 && looksLikeJson(text);
  const numbers = new Map<number, number>();
  if (isJson) for (const { isNumber, start, end } of yield* tokenSteps(text)) if (isNumber) numbers.set(start, end);
  const read = ({ start, end, type }: Found): PlacedValue => {
    const source = text.slice(start, end);
    if (numbers.get(start) === end && String(Number(source)) === source) {
      const value = distinct({ type, text: source, numeric: true });
      return { start, end, value, place: (placeholder) => `"${placeholder}"`, isPlain: false };
    }
    const encoded = readEncodedValue(source, type);
    if (encoded) {
      return { start, end, value: distinct({ type, text: encoded.text }), place: encoded.place, isPlain: false };
    }
    return { start, end, value: distinct({ type, text: source }), place: (placeholder) => placeholder, isPlain: true };
  };
  const values: PlacedValue[] = [];
  for (const span of spans) {
    if (values.push(read(span)) % PART_ITEMS === 0) yield;
  }
  return values;
}

function* escapeSteps(
  text: string,
  closed: readonly Layer[],
  taken: readonly { readonly start: number; readonly end: number }[],
  { types }: ReadOptions,
  depth: number,
): Steps<readonly Edit[]> {
  const escaping: Rewriting = { replace: escaped, isPlaceholder: () => true };
  const edits: Edit[] = [];
  let at = 0;
  const gaps = yield* inOrderSteps(taken, byStart);
  for (const { start, end } of [...gaps, { start: text.length, end: text.length }]) {
    const found = at < start ? yield* ownEdits(text.slice(at, start), types, escaping) : [];
    for (const edit of found) edits.push({ ...edit, start: edit.start + at, end: edit.end + at });
    at = Math.max(at, end);
    yield;
  }
  const own = yield* outsideSteps(edits, closed);
  const inside: Edit[] = [];
  for (const layer of closed) {
    yield;
    for (const edit of yield* layerEdits(layer, types, escaping, depth + 1)) inside.push(edit);
  }
  return [...own, ...(yield* outsideSteps(inside, gaps))];
}

/** Returns the steps to spans in order. Overlapping ones become one, of the type of the first. */
function* mergedSteps(spans: readonly Found[]): Steps<Found[]> {
  const result: { start: number; end: number; type: string }[] = [];
  for (const [index, { start, end, type }] of (yield* inOrderSteps(spans, byStartAndLength)).entries()) {
    if (index % PART_ITEMS === PART_ITEMS - 1) yield;
    const last = result.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end, type });
  }
  return result;
}

function* valuesOf({ values, layers }: Node, all: Set<FoundValue>): Steps<ReadonlySet<FoundValue>> {
  for (const { value } of values) all.add(value);
  yield;
  for (const { node } of layers) yield* valuesOf(node, all);
  return all;
}

function* editsOf(
  { values, layers, escapes }: Node,
  placeholderOf: (value: FoundValue) => string,
): Steps<readonly Edit[]> {
  const edits: Edit[] = [...escapes];
  for (const { start, end, value, place, isPlain } of values) {
    if (edits.length % PART_ITEMS === PART_ITEMS - 1) yield;
    edits.push({ start, end, text: place(placeholderOf(value)), isPlaceholder: isPlain });
  }
  for (const { layer, node } of layers) {
    yield;
    for (const edit of yield* liftSteps(layer, yield* editsOf(node, placeholderOf))) edits.push(edit);
  }
  return yield* inOrderSteps(edits, byStart);
}

/** Checks whether the text with placeholders restores to the same text. */
function* restoresSteps(text: string, { values, write }: EncodedText, { types, outside }: ReadOptions): Steps<boolean> {
  const isKept = outside !== undefined;
  const names = new Map<FoundValue, string>();
  const byName = new Map<string, FoundValue>();
  for (const value of values) {
    const index = names.size;
    const name = `${value.type}_${FIRST_TRIAL_NUMBER + index}`;
    names.set(value, name);
    byName.set(name, value);
    if (index % PART_ITEMS === PART_ITEMS - 1) yield;
  }
  const wrote = write((value) => writePlaceholder(names.get(value) ?? ''));
  const redacted = typeof wrote === 'string' ? wrote : yield* wrote;
  const restored = yield* rewriteSteps(redacted, types, {
    replace(found, of) {
      if (found.escapes > 0) return isKept ? undefined : unescaped(found, of);
      return byName.get(found.name)?.text;
    },
    isPlaceholder: ({ escapes }) => escapes > 0,
    number(of) {
      const value = byName.get(of.slice(1, -1));
      return value?.numeric ? exactNumber(value.text) : undefined;
    },
  });
  return restored === text;
}
