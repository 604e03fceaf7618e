import { base64Parts } from './base64.ts';
import { hexParts } from './hex.ts';
import { jsonPart } from './json-text.ts';
import type { EncodedPart } from './part.ts';
import { percentParts } from './percent.ts';

/** The fewest characters of an encoded part: `[EMAIL_1]` in base64. */
const MIN_CHARACTERS = 12;

/** Returns the encoded parts of a text, in order. Takes time in proportion to the text. */
export function encodedParts(text: string): readonly EncodedPart[] {
  if (text.length < MIN_CHARACTERS) return [];
  const json = jsonPart(text);
  if (json) return [json];
  return [...base64Parts(text), ...hexParts(text), ...percentParts(text)].sort((a, b) => a.start - b.start);
}
