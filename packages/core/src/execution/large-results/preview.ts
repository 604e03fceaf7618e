import type { Redactor } from '@toolwright/pii/internal';
import { asSchema, observe } from '../../catalog/inferred-types/shape.ts';
import { readSchema } from '../../catalog/schema/read-schema.ts';
import { typeOf } from '../../catalog/signatures/types.ts';
import { TYPESCRIPT_LINE } from '../../catalog/signatures/typescript/types.ts';
import { type CountTokens, loadTokenizer } from '../../telemetry/tokens.ts';
import { redactedPrefix } from './redacted-prefix.ts';
import { type Sample, sampleOf } from './sample.ts';

/** How much of a value an excerpt has. */
interface Detail {
  /** First elements of each list. */
  readonly items: number;
  /** First keys of each object. */
  readonly keys: number;
  /** Characters of each text. */
  readonly characters: number;
  /** Nesting. Deeper lists and objects are counted. */
  readonly depth: number;
}

/** A longer key is replaced by its length. */
const MAX_KEY_CHARACTERS = 100;
/** Further long texts are replaced by their length: the start of each costs a redaction of its own. */
const MAX_LONG_TEXTS = 30;

/** Maximum tokens (o200k_base) of a preview, without the note about the complete value. */
const MAX_PREVIEW_TOKENS = 1_850;
const MAX_TYPE_TOKENS = 300;
/** Characters of a text that are tried first. */
const FIRST_CHARACTERS = 6_000;

/** From the most to the least detailed. The first excerpt within the limit is shown. */
const DETAILS: readonly Detail[] = [
  { items: 3, keys: 40, characters: 300, depth: 8 },
  { items: 3, keys: 25, characters: 120, depth: 6 },
  { items: 3, keys: 15, characters: 60, depth: 4 },
  { items: 3, keys: 10, characters: 30, depth: 3 },
  { items: 1, keys: 6, characters: 20, depth: 2 },
];
const TYPE_DETAILS = [4, 2, 1].map((depth) => ({ depth, maxValues: 1, maxProperties: 10 * depth }));

/**
 * Returns a preview of a JSON text: its type, its first rows, and the number of the others. It has at most `maxBytes` and about
 * 1,850 tokens, and is redacted.
 */
export async function previewOf(text: string, maxBytes: number, redactor: Redactor): Promise<string> {
  const count = await loadTokenizer();
  const fits = (part: string) => Buffer.byteLength(part) <= maxBytes && count(part) <= MAX_PREVIEW_TOKENS;
  // A program sends its result, which may be no JSON.
  const sample = /^\s*[[{]/.test(text) ? await sampleOf(text).catch(() => undefined) : undefined;
  if (sample) {
    const type = await redactor.redact(typeText(sample, count));
    for (const detail of DETAILS) {
      const rows = JSON.stringify(await excerptOf(sample, detail, redactor));
      if (fits(rows) && fits(`${type}\n${rows}`)) return `${type}\n${rows}`;
    }
  }
  for (let length = Math.min(text.length, FIRST_CHARACTERS, maxBytes); length > 0; length = Math.floor(length / 2)) {
    const start = await redactedPrefix(text, length, redactor);
    if (count(start) <= MAX_PREVIEW_TOKENS) return `${firstBytes(start, maxBytes)}…`;
  }
  return '…';
}

function typeText({ value, countOf }: Sample, count: CountTokens): string {
  const shape = readSchema(asSchema(observe(value)));
  const texts = TYPE_DETAILS.map((detail) => typeOf(shape, { ...detail, syntax: TYPESCRIPT_LINE }));
  const length = Array.isArray(value) ? `${countOf(value)} items, ` : '';
  return `${length}type: ${texts.find((text) => count(text) <= MAX_TYPE_TOKENS) ?? 'object'}`;
}

/** Returns the start of a text, without a partial character at its end. */
function firstBytes(text: string, bytes: number): string {
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\uFFFD$/, '');
}

/** Returns the start of a value: its first rows, keys and characters, each with the number of the others. Redacted. */
async function excerptOf(sample: Sample, detail: Detail, redactor: Redactor): Promise<unknown> {
  const { value } = sample;
  const starts = new Map<string, string>();
  collectLongTexts(value, 0, detail, starts);
  for (const text of starts.keys()) {
    const start = await redactedPrefix(text, detail.characters, redactor);
    starts.set(text, `${start}… (+${text.length - start.length} characters)`);
  }
  return redactor.redact(cut(sample, value, 0, detail, starts));
}

function collectLongTexts(value: unknown, depth: number, detail: Detail, found: Map<string, string>): void {
  if (found.size >= MAX_LONG_TEXTS) return;
  if (typeof value === 'string') {
    if (value.length > detail.characters) found.set(value, '');
  } else if (typeof value === 'object' && value !== null && depth < detail.depth) {
    const inside = Array.isArray(value) ? value.slice(0, detail.items) : Object.values(value).slice(0, detail.keys);
    for (const item of inside) collectLongTexts(item, depth + 1, detail, found);
  }
}

function cut(
  sample: Sample,
  value: unknown,
  depth: number,
  detail: Detail,
  starts: ReadonlyMap<string, string>,
): unknown {
  if (typeof value === 'string') {
    return value.length <= detail.characters ? value : (starts.get(value) ?? `(${value.length} characters)`);
  }
  if (typeof value !== 'object' || value === null) return value;
  const inner = (item: unknown) => cut(sample, item, depth + 1, detail, starts);
  const count = sample.countOf(value);
  if (Array.isArray(value)) {
    if (depth >= detail.depth) return `[${count} items]`;
    const shown = value.slice(0, detail.items).map(inner);
    return [...shown, ...(count > shown.length ? [`… ${count - shown.length} more`] : [])];
  }
  if (depth >= detail.depth) return `{${count} keys}`;
  const shown = Object.entries(value).slice(0, detail.keys);
  const left = count - shown.length;
  return Object.fromEntries([
    ...shown.map(([key, item]) => [keyText(key), inner(item)]),
    ...(left > 0 ? [['…', `${left} more keys`]] : []),
  ]);
}

function keyText(key: string): string {
  return key.length <= MAX_KEY_CHARACTERS ? key : `(key of ${key.length} characters)`;
}
