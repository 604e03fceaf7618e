import { base32Value, fromBase32 } from '../../encodings/bytes/base32.ts';
import { layerSteps, mayHaveEncoding } from '../../encodings/layers.ts';
import { atOnce, type Steps } from '../../slices.ts';
import { PII_TYPES, type Span } from '../detector.ts';

/** Characters of an encoded text that are decoded at once; a multiple of 12, so that base64 groups stay whole. */
const PIECE_CHARS = 9_996;
/** Characters that are decoded beyond the end of a piece, for a value in two pieces. */
const OVERLAP_CHARS = 600;
const MIN_BASE64_CHARS = 12;
const MIN_HEX_CHARS = 14;
/** Characters of the shortest base64 of binary data that is searched. */
const MIN_BINARY_CHARS = 40;
// biome-ignore lint/suspicious/noControlCharactersInRegex: binary data has them
const NOT_PRINTABLE = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;
/** Characters that must decode to text before the rest is decoded. */
const SAMPLE_CHARS = 12;
/** The most bytes over 127 among them. */
const MAX_HIGH_BYTES = 3;
/** The deepest encoding in an encoding that is searched. */
const MAX_NESTED_ENCODINGS = 3;
/** In a longer text the form alone is too weak: it may contain coordinates of a drawing. */
const SHORT_CHARS = 64;
const HEX = /^(?:[0-9a-f]{2})+$/i;
const MIN_BASE32_CHARS = 16;
const BASE32 = /^[A-Z2-7]+$/;
const MAX_PADDING = 6;
/** The fewest characters of a line that continues: MIME has 76, PEM 64. */
const MIN_LINE_CHARS = 40;
/** A line break, as itself or in a string of JSON. */
const LINE_BREAK = /\r?\n[ \t]{0,8}|(?:\\r)?\\n/y;
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

/** The fewest characters that `encodedRun` decodes. */
export const MIN_ENCODED_CHARS: number = MIN_BASE64_CHARS;

/** An encoded run: the steps that decode it, and its end with the lines that continue it. */
export interface EncodedRun {
  readonly steps: Steps;
  readonly end: number;
}

/**
 * Returns the steps that decode a run of base64, base32 or hexadecimal, or undefined for another run. They add a span for
 * each piece with personal data. A run continues over line breaks in lines of equal length. The type of a span is the first in
 * `PII_TYPES` of its values. `look` finds values in the decoded text. Takes time in proportion to the length of the run.
 */
export function encodedRun(
  text: string,
  run: number,
  look: (decoded: string) => readonly Span[],
  found: Span[],
): EncodedRun | undefined {
  const start = text[run] === '0' && text[run + 1] === 'x' ? run + 2 : run;
  const hex = startOfHex(text, start);
  const base64 = startOfBase64(text, start);
  const isBase32 = startsAsBase32(text, start);
  const isBinary = hex === undefined && base64 === undefined && !isBase32;
  let end = run + MIN_ENCODED_CHARS;
  while (isEncodedCharacter(text.charCodeAt(end))) end++;
  if (isBinary && end - start < MIN_BINARY_CHARS) return undefined;
  const lines = readLines(text, start, end);
  const search = (decode: Decode, charset: Charset): EncodedRun => ({
    steps: pieces(lines, { decode, charset }, look, found),
    end: lines.end,
  });
  if (isBinary) return isMixed(lines.joined) ? search(fromBase64, 'utf8') : undefined;
  if (hex !== undefined && lines.joined.length >= MIN_HEX_CHARS && HEX.test(lines.joined)) {
    return search((part) => Buffer.from(part, 'hex'), hex);
  }
  if (isBase32 && lines.joined.length >= MIN_BASE32_CHARS && BASE32.test(lines.joined)) {
    return search(fromBase32, 'utf8');
  }
  return base64 && search(fromBase64, base64);
}

type Decode = (part: string) => Buffer;

const fromBase64: Decode = (part) => Buffer.from(part, 'base64');

/** Checks for letters of both cases and a digit, which almost all bytes in base64 have: a word or a path has less. */
function isMixed(run: string): boolean {
  return run.length % 4 !== 1 && /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run);
}

/** The encoded characters of one or more lines. */
interface Lines {
  readonly joined: string;
  /** The end of the last line with its padding. */
  readonly end: number;
  /** Returns the offset in the text of an index of `joined`. */
  offset(index: number): number;
}

/** Joins the first line with the lines that follow it, if all but the last have its length. */
function readLines(text: string, start: number, firstEnd: number): Lines {
  const width = firstEnd - start;
  LINE_BREAK.lastIndex = firstEnd;
  const gap = width >= MIN_LINE_CHARS && width % 4 === 0 ? (LINE_BREAK.exec(text)?.[0] ?? '') : '';
  const parts = [text.slice(start, firstEnd)];
  let end = firstEnd;
  while (gap !== '' && text.startsWith(gap, end) && end - start === parts.length * (width + gap.length) - gap.length) {
    const from = end + gap.length;
    let next = from;
    while (next < from + width && isEncodedCharacter(text.charCodeAt(next))) next++;
    if (next === from) break;
    parts.push(text.slice(from, next));
    end = next;
  }
  for (let padding = 0; padding < MAX_PADDING && text[end] === '='; padding++) end++;
  const offset = (index: number) =>
    Math.min(end, start + index + (gap === '' ? 0 : Math.floor(index / width) * gap.length));
  return { joined: parts.join(''), end, offset };
}

function* pieces(
  { joined, end: textEnd, offset }: Lines,
  { decode: bytesOf, charset }: { readonly decode: Decode; readonly charset: Charset },
  look: (decoded: string) => readonly Span[],
  found: Span[],
): Steps {
  const decode = (start: number, end: number) => readPiece(bytesOf(joined.slice(start, end)), charset);
  /** Spans of the previous piece that continue in this one. */
  let open: readonly Span[] = [];
  for (let at = 0; at < joined.length; at += PIECE_CHARS) {
    const end = Math.min(joined.length, at + PIECE_CHARS);
    const { text: decoded, isBinary } = decode(at, end + OVERLAP_CHARS);
    const spans = lookInside(decoded, look, MAX_NESTED_ENCODINGS).filter(
      ({ type, evidence }) => evidence !== 'shape' || (isBinary ? type === 'EMAIL' : decoded.length <= SHORT_CHARS),
    );
    const own = spans.length > 0 && end < joined.length ? decode(at, end).text.length - 1 : decoded.length;
    const type = strongest([...open, ...spans.filter(({ start }) => start < own)]);
    const last = end === joined.length ? textEnd : offset(end);
    if (type !== undefined) found.push({ start: offset(at), end: last, type, evidence: 'marked' });
    open = spans.filter((span) => span.start < own && span.end > own);
    yield;
  }
}

/** Finds values in a decoded text, or else in the encoded texts in it: such a text is a finding as a whole. */
function lookInside(decoded: string, look: (decoded: string) => readonly Span[], levels: number): readonly Span[] {
  const spans = look(decoded);
  if (spans.length > 0 || levels === 0 || !mayHaveEncoding(decoded)) return spans;
  const inside: Span[] = [];
  for (const { start, end, text } of atOnce(layerSteps(decoded))) {
    const type = strongest(lookInside(text, look, levels - 1));
    if (type !== undefined) inside.push({ start, end, type, evidence: 'marked' });
  }
  return inside;
}

/** How bytes are read as text. */
type Charset = 'utf8' | 'utf16le' | 'utf16be';

function bytesAs(bytes: Buffer, charset: Charset): string {
  if (charset !== 'utf16be') return bytes.toString(charset).replace(/^\ufeff/, '');
  return bytes
    .subarray(0, bytes.length & ~1)
    .swap16()
    .toString('utf16le')
    .replace(/^\ufeff/, '');
}

/** Returns the text of bytes. Binary data has line breaks in place of its other characters: texts in it stay apart. */
function readPiece(bytes: Buffer, charset: Charset): { readonly text: string; readonly isBinary: boolean } {
  const text = bytesAs(bytes, charset);
  if (isText(text)) return { text, isBinary: false };
  const latin = bytes.toString('latin1');
  return isText(latin)
    ? { text: latin, isBinary: false }
    : { text: latin.replaceAll(NOT_PRINTABLE, '\n'), isBinary: true };
}

/** Returns the charset of the first bytes of a text: ASCII with few longer characters, or every second byte a zero. */
function charsetOf(bytes: Buffer): Charset | undefined {
  const from = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff) ? 2 : 0;
  const zeros = [0, 0];
  for (let at = from; at < bytes.length; at++) if (bytes[at] === 0) zeros[at & 1] = (zeros[at & 1] ?? 0) + 1;
  const pairs = Math.floor((bytes.length - from) / 2);
  if (zeros[1] === pairs && zeros[0] === 0) return 'utf16le';
  if (zeros[0] !== undefined && zeros[0] >= pairs && zeros[1] === 0) return 'utf16be';
  return undefined;
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

/** Returns the charset of hexadecimal that begins as text does, or undefined. */
function startOfHex(text: string, start: number): Charset | undefined {
  if (
    text.startsWith('00', start) ||
    text.startsWith('00', start + 2) ||
    /^f[ef]f[ef]/i.test(text.slice(start, start + 4))
  ) {
    const sample = text.slice(start, start + SAMPLE_CHARS);
    return HEX.test(sample) ? charsetOf(Buffer.from(sample, 'hex')) : undefined;
  }
  for (let at = start; at < start + SAMPLE_CHARS; at += 2) {
    const high = hexValue(text.charCodeAt(at));
    if (high < 2 || high > 7 || hexValue(text.charCodeAt(at + 1)) < 0) return undefined;
  }
  return 'utf8';
}

/** Returns the charset of base64 that begins as text does, or undefined. */
function startOfBase64(text: string, start: number): Charset | undefined {
  if (mayBeUtf16(text, start)) {
    const charset = charsetOf(Buffer.from(text.slice(start, start + SAMPLE_CHARS), 'base64'));
    if (charset !== undefined) return charset;
  }
  return startsAsBase64(text, start) ? 'utf8' : undefined;
}

/** Checks the characters of base64 that a zero as first, second or third byte fixes, and byte order marks. */
function mayBeUtf16(text: string, start: number): boolean {
  const third = value(text, start + 2);
  if ((value(text, start + 1) & 15) === 0 && third < 2) return true;
  return (
    (text[start] === 'A' && text[start + 3] === 'A') || text.startsWith('//', start) || text.startsWith('/v8', start)
  );
}

/** Checks whether the first characters are base32, and the first bytes printable ASCII. */
function startsAsBase32(text: string, start: number): boolean {
  for (let at = start; at < start + SAMPLE_CHARS; at++) if (base32Value(text.charCodeAt(at)) < 0) return false;
  return fromBase32(text.slice(start, start + SAMPLE_CHARS)).every((byte) => byte >= 32 && byte < 127);
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
