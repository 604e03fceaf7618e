import { base64Parts } from './base64.ts';
import { hexParts } from './hex.ts';
import { jsonPart } from './json-text.ts';
import { percentParts } from './percent.ts';

/** A part of a text that encodes another text or a JSON value. Encoding its content again gives exactly the same characters. */
export interface EncodedPart {
  /** `json` is a whole text. */
  readonly kind: 'json' | 'base64' | 'hex' | 'percent';
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** A text, or for `json` a JSON value. */
  readonly content: unknown;
  /** Returns other content in the same form. */
  encode(content: unknown): string;
}

/** The fewest characters of an encoded part: `[EMAIL_1]` in base64. */
const MIN_CHARACTERS = 12;

/** Returns the encoded parts of a text, in order. Takes time in proportion to the text. */
export function encodedParts(text: string): readonly EncodedPart[] {
  if (text.length < MIN_CHARACTERS) return [];
  const json = jsonPart(text);
  if (json) return [json];
  return [...base64Parts(text), ...hexParts(text), ...percentParts(text)].sort((a, b) => a.start - b.start);
}
