import type { Steps } from '../../slices.ts';
import { PII_TYPES, type Span } from '../detector.ts';

/** Characters of an encoded text that are decoded at once; a multiple of 12, so that base64 groups stay whole. */
const PIECE_CHARS = 9_996;
/** Characters that are decoded beyond the end of a piece, for a value in two pieces. */
const OVERLAP_CHARS = 600;
const MIN_BASE64_CHARS = 12;
const MIN_HEX_CHARS = 14;
/** Characters that must decode to text before the rest is decoded. */
const SAMPLE_CHARS = 12;
/** The most bytes over 127 among them. */
const MAX_HIGH_BYTES = 3;
/** In a longer text the form alone is too weak: it may contain coordinates of a drawing. */
const SHORT_CHARS = 64;
const HEX = /^(?:[0-9a-f]{2})+$/i;
/** The value of each character of base64, both alphabets; 64 for others. */
const VALUES = new Uint8Array(128).fill(64);
for (const [index, character] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) {
  VALUES[character.charCodeAt(0)] = index;
}
VALUES[45] = 62;
VALUES[95] = 63;

/** Checks whether an ASCII character occurs in base64 or hexadecimal. */
export function isEncodedCharacter(code: number): boolean {
  return (VALUES[code] ?? 64) < 64;
}

/** The fewest characters that `encodedSpans` decodes. */
export const MIN_ENCODED_CHARS: number = MIN_BASE64_CHARS;

/**
 * Returns the steps that decode a run of base64 or hexadecimal, and add a span for each piece with personal data; undefined for
 * another run. The type is the first in
 * `PII_TYPES` of its values. `look` finds values in the decoded text. Takes time in proportion to the length of the run.
 */
export function encodedSteps(
  text: string,
  run: number,
  look: (decoded: string) => readonly Span[],
  found: Span[],
): Steps | undefined {
  const start = text[run] === '0' && text[run + 1] === 'x' ? run + 2 : run;
  const isHex = startsAsHex(text, start);
  const isBase64 = startsAsBase64(text, start);
  if (!isHex && !isBase64) return undefined;
  let end = run + MIN_ENCODED_CHARS;
  while (isEncodedCharacter(text.charCodeAt(end))) end++;
  if (end - start >= MIN_HEX_CHARS && isHex) {
    const piece = text.slice(start, end);
    if (HEX.test(piece)) return pieces(piece, start, 'hex', look, found);
  }
  let padded = end;
  while (padded < end + 2 && text[padded] === '=') padded++;
  return isBase64 ? pieces(text.slice(start, padded), start, 'base64', look, found) : undefined;
}

function* pieces(
  run: string,
  offset: number,
  encoding: 'hex' | 'base64',
  look: (decoded: string) => readonly Span[],
  found: Span[],
): Steps {
  const decode = (start: number, end: number) => Buffer.from(run.slice(start, end), encoding).toString('utf8');
  /** Spans of the previous piece that continue in this one. */
  let open: readonly Span[] = [];
  for (let at = 0; at < run.length; at += PIECE_CHARS) {
    const end = Math.min(run.length, at + PIECE_CHARS);
    const decoded = decode(at, end + OVERLAP_CHARS);
    if (!isText(decoded)) return;
    const spans = look(decoded).filter(({ evidence }) => decoded.length <= SHORT_CHARS || evidence !== 'shape');
    const own = spans.length > 0 && end < run.length ? decode(at, end).length - 1 : decoded.length;
    const type = strongest([...open, ...spans.filter(({ start }) => start < own)]);
    if (type !== undefined) found.push({ start: offset + at, end: offset + end, type, evidence: 'proved' });
    open = spans.filter((span) => span.start < own && span.end > own);
    yield;
  }
}

/** Checks for printable UTF-8. The end of a piece may cut a character in two. */
function isText(decoded: string): boolean {
  for (let at = 0; at < decoded.length; at++) {
    const code = decoded.charCodeAt(at);
    if (code === 0xfffd && at < decoded.length - 3) return false;
    if (code < 32 && code !== 9 && code !== 10 && code !== 13) return false;
  }
  return true;
}

function strongest(spans: readonly Span[]): Span['type'] | undefined {
  const order = (type: string) => (PII_TYPES as readonly string[]).indexOf(type);
  const types = spans.map(({ type }) => type).sort((a, b) => order(a) - order(b));
  return types[0];
}

function startsAsHex(text: string, start: number): boolean {
  for (let at = start; at < start + SAMPLE_CHARS; at += 2) {
    const high = hexValue(text.charCodeAt(at));
    if (high < 2 || high > 7 || hexValue(text.charCodeAt(at + 1)) < 0) return false;
  }
  return true;
}

/** Checks whether the first bytes are printable ASCII, except for a few bytes of longer characters. */
function startsAsBase64(text: string, start: number): boolean {
  let high = 0;
  for (let at = start; at < start + SAMPLE_CHARS; at += 4) {
    const bits =
      (value(text, at) << 18) | (value(text, at + 1) << 12) | (value(text, at + 2) << 6) | value(text, at + 3);
    for (let shift = 16; shift >= 0; shift -= 8) {
      const byte = (bits >> shift) & 255;
      if (byte > 127 && ++high > MAX_HIGH_BYTES) return false;
      if (byte === 127 || (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13)) return false;
    }
  }
  return true;
}

function value(text: string, at: number): number {
  return VALUES[text.charCodeAt(at)] ?? 64;
}

function hexValue(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}
