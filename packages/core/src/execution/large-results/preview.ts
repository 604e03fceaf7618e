import type { Redactor } from '@toolwright/pii/internal';
import { asSchema, observe } from '../../catalog/inferred-types/shape.ts';
import { readSchema } from '../../catalog/schema/read-schema.ts';
import { typeOf } from '../../catalog/signatures/types.ts';
import { TYPESCRIPT_LINE } from '../../catalog/signatures/typescript/types.ts';
import { type CountTokens, loadTokenizer } from '../../telemetry/tokens.ts';
import { type Detail, excerptOf } from './excerpt.ts';
import { redactedPrefix } from './redacted-prefix.ts';
import { type Sample, sampleOf } from './sample.ts';

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
