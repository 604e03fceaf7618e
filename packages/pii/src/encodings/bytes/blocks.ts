import { PART_CHARACTERS, type Steps } from '../../slices.ts';
import { lastBinaryByte, readBytes, toBytes } from '../charset.ts';
import { type Layer, withEdits } from '../layer.ts';
import { fromBase32, toBase32 } from './base32.ts';
import { type Base64Run, base64Value, MARK, readBase64Steps, writeBase64 } from './base64.ts';
import { BASE64_CHARACTERS, nextRun, nextRunSteps, type Run } from './runs.ts';

/** The shortest encoded placeholder, `[AB_1]` in base64. */
const MIN_CHARS = 8;
const MIN_LONG_CHARS = 10;
const NOT_HEX = /[^\da-f]/;
const NOT_UPPER_HEX = /[^\dA-F]/;
const NOT_BASE32 = /[^A-Z2-7]/;
const BASE32_PADDING = /={1,6}/y;
/** Characters that must decode to text before the rest is decoded. */
const SAMPLE_CHARS = 24;
const MAX_SEGMENTS = 64;
const LONG = /^(?:[0-9a-fA-F]{10}|[A-Z2-7]{10})/;
/** Bytes that decide quickly, in base64. */
const FIRST_CHARS = 8;

/** Returns whether a text may have an encoded run. Words, numbers and dates of a short text are none. */
export function mayHaveBlock(text: string): boolean {
  // A longer text is searched in parts; see `blockSteps`.
  if (text.length > PART_CHARACTERS) return true;
  for (
    let run = nextRun(text, 0, BASE64_CHARACTERS, MIN_CHARS);
    run;
    run = nextRun(text, run.end, BASE64_CHARACTERS, MIN_CHARS)
  ) {
    for (let at = run.start; at >= 0 && at < run.end; at = nextSegment(text, at)) if (mayBeBlock(text, at)) return true;
  }
  return false;
}

function nextSegment(text: string, at: number): number {
  const slash = text.indexOf('/', at);
  return slash < 0 ? -1 : slash + 1;
}

/** Checks the first characters of a run. */
function mayBeBlock(text: string, run: number): boolean {
  const start = text[run] === '0' && text[run + 1] === 'x' ? run + 2 : run;
  return mayBeginText(text, start) || LONG.test(text.slice(start, start + MIN_LONG_CHARS));
}

/** Returns the runs of base64, base32 and hexadecimal in a text that decode to text, in order. */
export function* blockSteps(text: string): Steps<Layer[]> {
  const layers: Layer[] = [];
  const tried: Tried = { until: 0 };
  let pauseAt = PART_CHARACTERS;
  let next = 0;
  while (next < text.length) {
    const run = yield* nextRunSteps(text, next, BASE64_CHARACTERS, MIN_CHARS, pauseAt);
    next = run?.end ?? pauseAt;
    for (const layer of run && mayHaveLayer(text, run) ? yield* blocksOfRun(text, run.start, run.end, tried) : []) {
      layers.push(layer);
      next = Math.max(next, layer.end);
    }
    if (next >= pauseAt) {
      yield;
      pauseAt = next + PART_CHARACTERS;
    }
  }
  return layers;
}

/** Most runs are words, and cost no more than a look at their first characters. */
function mayHaveLayer(text: string, { start, end }: Run): boolean {
  if (mayBeBlock(text, start)) return true;
  const slash = text.indexOf('/', start);
  return slash >= 0 && slash < end;
}

/** Returns the encoded text of a run: of the whole run, or of its parts between slashes, as in the path of a URL. */
function* blocksOfRun(text: string, start: number, end: number, tried: Tried): Steps<readonly Layer[]> {
  const whole = yield* blockAt(text, start, end, Number.POSITIVE_INFINITY, tried);
  if (whole) return [whole];
  const layers: Layer[] = [];
  if (!text.slice(start, end).includes('/')) return layers;
  let at = start;
  for (let segments = 0; at < end && segments < MAX_SEGMENTS; segments++) {
    const slash = text.indexOf('/', at);
    const segmentEnd = slash < 0 || slash > end ? end : slash;
    if (segmentEnd - at >= MIN_CHARS && segmentEnd - at < end - start) {
      const layer = yield* blockAt(text, at, segmentEnd, segmentEnd, tried);
      if (layer) layers.push(layer);
    }
    at = segmentEnd + 1;
  }
  return layers;
}

/** Lines of base64 before this position have no block: the same bytes follow, which are no text. Reading them for each line takes too long. */
interface Tried {
  until: number;
}

function* blockAt(text: string, run: number, end: number, limit: number, tried: Tried): Steps<Layer | undefined> {
  const start = text[run] === '0' && text[run + 1] === 'x' ? run + 2 : run;
  if (end - start >= MIN_LONG_CHARS && LONG.test(text.slice(start, start + MIN_LONG_CHARS))) {
    const sample = text.slice(start, Math.min(end, start + SAMPLE_CHARS));
    if (isHex(sample) && isText(Buffer.from(sample, 'hex'))) {
      const layer = yield* hexAt(text, start, end);
      if (layer) return layer;
    }
    if (!NOT_BASE32.test(sample) && isText(fromBase32(sample))) {
      const layer = yield* base32At(text, start, end);
      if (layer) return layer;
    }
  }
  if (!mayBeginText(text, start)) return undefined;
  if (!isText(Buffer.from(text.slice(start, Math.min(end, start + SAMPLE_CHARS)), 'base64'))) return undefined;
  return yield* base64At(text, start, limit, tried);
}

function* hexAt(text: string, start: number, end: number): Steps<Layer | undefined> {
  const source = text.slice(start, end);
  if (!isHex(source)) return undefined;
  if (source.length > PART_CHARACTERS) yield;
  const isUpper = /[A-F]/.test(source);
  return yield* blockOf(source, start, Buffer.from(source, 'hex'), (bytes) => {
    const written = bytes.toString('hex');
    return isUpper ? written.toUpperCase() : written;
  });
}

function isHex(text: string): boolean {
  return text.length % 2 === 0 && !(NOT_HEX.test(text) && NOT_UPPER_HEX.test(text));
}

function* base32At(text: string, start: number, end: number): Steps<Layer | undefined> {
  const characters = text.slice(start, end);
  if (NOT_BASE32.test(characters)) return undefined;
  BASE32_PADDING.lastIndex = end;
  const padding = BASE32_PADDING.exec(text)?.[0] ?? '';
  const isMarked = padding === '' && characters.length % 8 === 0 && text[end] === MARK;
  const isPadded = padding !== '' || (characters.length % 8 === 0 && !isMarked);
  const source = characters + padding + (isMarked ? MARK : '');
  return yield* blockOf(source, start, fromBase32(characters), (bytes) => {
    const written = toBase32(bytes, isPadded);
    return !isPadded && written.length % 8 === 0 ? written + MARK : written;
  });
}

function* base64At(text: string, start: number, limit: number, tried: Tried): Steps<Layer | undefined> {
  if (Number.isFinite(limit)) return yield* segmentAt(text, start, limit);
  if (start < tried.until) return undefined;
  const run = yield* readBase64Steps(text, start);
  if (run === undefined) return undefined;
  const write = (bytes: Buffer) => writeBase64(bytes, run.form);
  const bytes = Buffer.from(run.characters, 'base64');
  const layer = yield* blockOf(text.slice(start, run.end), start, bytes, write);
  if (layer === undefined && run.form.width > 0) tried.until = start + triedCharacters(run, bytes);
  return layer;
}

/** Returns the characters of the lines that have no block. */
function triedCharacters({ characters, form: { width, gap } }: Base64Run, bytes: Buffer): number {
  const last = lastBinaryByte(bytes);
  // Without binary bytes, the last line is not as it would be written.
  const tried = last < 0 ? Math.ceil(characters.length / width) - 1 : Math.floor((last * 4) / 3 / width) + 1;
  return last < 0 && readBytes(bytes) === undefined ? 0 : tried * (width + gap.length);
}

/** Reads base64url between slashes: without padding, as in the path of a URL. */
function* segmentAt(text: string, start: number, end: number): Steps<Layer | undefined> {
  if (text[end] === '=') return undefined;
  const source = text.slice(start, end);
  return yield* blockOf(source, start, Buffer.from(source, 'base64url'), (bytes) => bytes.toString('base64url'));
}

/** Returns the layer of a run if it is text and if writing it returns the same characters. */
function* blockOf(
  source: string,
  start: number,
  bytes: Buffer,
  write: (bytes: Buffer) => string,
): Steps<Layer | undefined> {
  const isLong = source.length > PART_CHARACTERS;
  if (isLong) yield;
  const read = readBytes(bytes);
  if (isLong) yield;
  if (read === undefined || write(bytes) !== source) return undefined;
  if (isLong) yield;
  const { text, charset } = read;
  const end = start + source.length;
  const lift: Layer['lift'] = (edits) =>
    edits.length === 0 ? [] : [{ start, end, text: write(toBytes(withEdits(text, edits), charset)) }];
  return { start, end, text, lift };
}

/** Checks the first bytes of base64: no control characters, and more than one byte over 127 only as UTF-8 or UTF-16. */
function mayBeginText(text: string, start: number): boolean {
  let high = 0;
  let zeros = 0;
  let isUtf8 = true;
  let following = 0;
  for (let at = start; at < start + FIRST_CHARS; at += 4) {
    const bits =
      (base64Value(text, at) << 18) |
      (base64Value(text, at + 1) << 12) |
      (base64Value(text, at + 2) << 6) |
      base64Value(text, at + 3);
    for (let shift = 16; shift >= 0; shift -= 8) {
      const byte = (bits >> shift) & 255;
      if (byte === 0) zeros++;
      else if (byte === 127 || (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13)) return false;
      if (byte > 127) high++;
      isUtf8 &&= following > 0 ? byte >> 6 === 2 : byte < 128 || (byte >= 0xc2 && byte < 0xf5);
      following = following > 0 ? following - 1 : byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc2 ? 1 : 0;
    }
  }
  const hasMark = high === 2 && /^(?:\/\/|__|\/v|_v)/.test(text.slice(start, start + 2));
  return isUtf8 || high < 2 || zeros > 1 || hasMark;
}

/** Checks the first bytes: printable characters in a charset, except for a character that the end cuts. */
function isText(bytes: Buffer): boolean {
  for (let cut = 0; cut < 4; cut++) if (readBytes(bytes.subarray(0, bytes.length - cut))) return true;
  return false;
}
