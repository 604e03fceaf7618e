import { PART_CHARACTERS, PART_ITEMS, type Steps } from '../../slices.ts';
import { BASE64_CHARACTERS, charactersOf, runEnd, runEndSteps } from './runs.ts';

interface Alphabet {
  readonly isUrl: boolean;
  readonly isPadded: boolean;
}

/** The form of a run of base64. */
export interface Base64Form extends Alphabet {
  /** The characters of a line; 0 for one line. */
  readonly width: number;
  /** The line break with the indentation of the next line. */
  readonly gap: string;
}

/**
 * Marks a form that the characters alone do not show. Decoders ignore a form feed, and texts have none after base64. The
 * number of form feeds is the index of the form, or they fill a first line up to the width of the lines.
 */
export const MARK = '\f';
const MARKED: readonly Alphabet[] = [
  { isUrl: true, isPadded: true },
  { isUrl: true, isPadded: false },
  { isUrl: false, isPadded: true },
  { isUrl: false, isPadded: false },
];
/** Form feeds after a first line that is as long as the width. */
const FILL_MARKS = MARKED.length + 1;
const MIN_LINE_CHARS = 40;
const PADDING = /={0,2}/y;
const MARKS = charactersOf(MARK);
const GAP = /\r?\n[ \t]{0,8}/y;

/** The value of each character, both alphabets. */
const VALUES = new Uint8Array(128);
for (const [index, character] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) {
  VALUES[character.charCodeAt(0)] = index;
}
VALUES['-'.charCodeAt(0)] = 62;
VALUES['_'.charCodeAt(0)] = 63;

/** Returns the value of a character of base64, or 0. */
export function base64Value(text: string, at: number): number {
  return VALUES[text.charCodeAt(at)] ?? 0;
}

/** A run of base64 with its form. */
export interface Base64Run {
  readonly end: number;
  readonly characters: string;
  readonly form: Base64Form;
}

/** Returns the steps to the run at an offset, with the lines that continue it; undefined for mixed alphabets. */
export function* readBase64Steps(text: string, start: number): Steps<Base64Run | undefined> {
  const firstEnd = yield* runEndSteps(text, start, BASE64_CHARACTERS);
  const filledEnd = ended(PADDING, text, firstEnd);
  const marks = runEnd(text, filledEnd, MARKS) - filledEnd;
  const gap = gapAt(text, filledEnd + marks);
  if (marks >= FILL_MARKS && gap !== '') {
    const filled = filledEnd - start + marks - FILL_MARKS;
    const padding = text.slice(firstEnd, filledEnd);
    return yield* runOf([text.slice(start, firstEnd)], filledEnd + marks + gap.length, padding, filled, gap);
  }
  const width = firstEnd - start;
  const parts = [text.slice(start, firstEnd)];
  let end = firstEnd;
  if (gap !== '' && marks === 0 && filledEnd === firstEnd && width >= MIN_LINE_CHARS && width % 4 === 0) {
    while (text.startsWith(gap, end) && parts.at(-1)?.length === width) {
      const from = end + gap.length;
      const next = runEnd(text, from, BASE64_CHARACTERS, from + width);
      if (next === from) break;
      parts.push(text.slice(from, next));
      if (parts.length % PART_ITEMS === 0) yield;
      end = next;
    }
  }
  const paddingEnd = ended(PADDING, text, end);
  return yield* runOf(parts, paddingEnd, text.slice(end, paddingEnd), parts.length > 1 ? width : 0, gap, text);
}

function* runOf(
  parts: readonly string[],
  end: number,
  padding: string,
  width: number,
  gap: string,
  text = '',
): Steps<Base64Run | undefined> {
  const characters = parts.join('');
  const isUrl = /[-_]/.test(characters);
  const isLong = characters.length > PART_CHARACTERS;
  if (isLong) yield;
  if (isUrl && (width > 0 || /[+/]/.test(characters))) return undefined;
  // Only the last line shows whether there is padding.
  const isPadded = padding !== '' || characters.length % 4 === 0;
  if (width > 0) return { end, characters, form: { isUrl: false, isPadded, width, gap } };
  const marks = runEnd(text, end, MARKS) - end;
  const marked = MARKED[marks - 1];
  if (marked) return { end: end + marks, characters, form: { ...marked, width: 0, gap: '' } };
  const form = { ...shownForm(characters, padding), width: 0, gap: '' };
  if (isLong) yield;
  return { end, characters, form };
}

/** Returns the form that the characters show. Without a sign of either, base64 is padded, and base64url is not. */
function shownForm(characters: string, padding: string): Alphabet {
  const isWhole = characters.length % 4 === 0;
  if (padding !== '') return { isUrl: /[-_]/.test(characters), isPadded: true };
  if (/[-_]/.test(characters)) return { isUrl: true, isPadded: false };
  if (/[+/]/.test(characters)) return { isUrl: false, isPadded: isWhole };
  return { isUrl: !isWhole, isPadded: isWhole };
}

/** Writes bytes in a form. Reading the result returns the same form. */
export function writeBase64(bytes: Buffer, form: Base64Form): string {
  const standard = bytes.toString('base64');
  const { isUrl, isPadded, width, gap } = form;
  if (width > 0) {
    const written = isPadded ? standard : standard.replace(/=+$/, '');
    if (written.length <= width) return `${written}${MARK.repeat(width - written.length + FILL_MARKS)}${gap}`;
    const lines = Array.from({ length: Math.ceil(written.length / width) }, (_, index) => index * width);
    return lines.map((at) => written.slice(at, at + width)).join(gap);
  }
  const alphabet = isUrl ? standard.replaceAll('+', '-').replaceAll('/', '_') : standard;
  const characters = alphabet.replace(/=+$/, '');
  const written = isPadded ? alphabet : characters;
  const shown = shownForm(characters, written.slice(characters.length));
  if (shown.isUrl === isUrl && shown.isPadded === isPadded) return written;
  // Both alphabets have the same characters here.
  return written + MARK.repeat(1 + MARKED.findIndex((one) => one.isUrl === isUrl && one.isPadded === isPadded));
}

function gapAt(text: string, at: number): string {
  GAP.lastIndex = at;
  return GAP.exec(text)?.[0] ?? '';
}

function ended(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
