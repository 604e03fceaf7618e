import { allRuns, BASE64_CHARACTERS, HEX_CHARACTERS, type Run } from '../encodings/bytes/runs.ts';
import { BREAK, foldByte, foldUnit, IGNORED } from './fold.ts';

/** One reading of a text: its folded or decoded units, and the part of the text of each. */
export interface View {
  units: Uint16Array;
  starts: Int32Array;
  ends: Int32Array;
  length: number;
}

/** Returns an empty view. It is filled again for each text. */
export function newView(): View {
  return { units: new Uint16Array(0), starts: new Int32Array(0), ends: new Int32Array(0), length: 0 };
}

function clear(view: View, capacity: number): void {
  view.length = 0;
  if (view.units.length >= capacity) return;
  view.units = new Uint16Array(capacity);
  view.starts = new Int32Array(capacity);
  view.ends = new Int32Array(capacity);
}

function push(view: View, unit: number, start: number, end: number): void {
  view.units[view.length] = unit;
  view.starts[view.length] = start;
  view.ends[view.length++] = end;
}

/** Reads the folded text. A mark belongs to its letter; invisible characters are omitted. */
export function readPlain(view: View, text: string): void {
  clear(view, text.length);
  for (let at = 0; at < text.length; at++) {
    const unit = foldUnit(text.charCodeAt(at));
    if (unit !== IGNORED) push(view, unit, at, at + 1);
    else if (view.length > 0) view.ends[view.length - 1] = at + 1;
  }
}

const ESCAPES = /%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\[nrtbf"'/\\]|\+/g;
const LETTER_ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Reads the text without URL and JSON escapes, and returns whether it has any. Bytes over 127 stay UTF-8 bytes. */
export function readEscaped(view: View, text: string): boolean {
  ESCAPES.lastIndex = 0;
  let next = ESCAPES.exec(text);
  if (next === null) return false;
  clear(view, text.length);
  for (let at = 0; at < text.length; ) {
    const sequence = next?.index === at ? next[0] : undefined;
    const end: number = at + (sequence?.length ?? 1);
    const unit = sequence === undefined ? foldUnit(text.charCodeAt(at)) : unescaped(sequence);
    if (unit !== IGNORED) push(view, unit, at, end);
    else if (view.length > 0) view.ends[view.length - 1] = end;
    if (sequence !== undefined) next = ESCAPES.exec(text);
    at = end;
  }
  return true;
}

function unescaped(sequence: string): number {
  if (sequence === '+') return 0x20;
  if (sequence.startsWith('%')) return foldByte(Number.parseInt(sequence.slice(1), 16));
  if (sequence.startsWith('\\x')) return foldByte(Number.parseInt(sequence.slice(2), 16));
  if (/^\\u./.test(sequence)) return foldUnit(Number.parseInt(sequence.slice(2), 16));
  return foldUnit((LETTER_ESCAPES[sequence.charAt(1)] ?? sequence.charAt(1)).charCodeAt(0));
}

const MIN_HEX_CHARS = 12;
const MIN_BASE64_CHARS = 8;

/** Returns the runs of hexadecimal digits. */
export function hexRuns(text: string): readonly Run[] {
  return allRuns(text, HEX_CHARACTERS, MIN_HEX_CHARS);
}

/** Returns the runs of base64, in both alphabets. */
export function base64Runs(text: string): readonly Run[] {
  return allRuns(text, BASE64_CHARACTERS, MIN_BASE64_CHARS);
}

/** Reads the bytes of runs of hexadecimal digits, from the first digit or from the second. */
export function readHex(view: View, text: string, runs: readonly Run[], shift: number): void {
  clear(view, text.length);
  for (const { start, end } of runs) {
    for (let at = start + shift; at + 1 < end; at += 2) {
      push(view, foldByte(Number.parseInt(text.slice(at, at + 2), 16)), at, at + 2);
    }
    push(view, BREAK, start, start);
  }
}

const SEXTETS = new Int8Array(128).fill(-1);
for (const [index, letter] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) {
  SEXTETS[letter.charCodeAt(0)] = index;
}
SEXTETS['-'.charCodeAt(0)] = 62;
SEXTETS['_'.charCodeAt(0)] = 63;

/** Reads the bytes of base64 runs (both alphabets) whose groups of four begin at this character of the run. */
export function readBase64(view: View, text: string, runs: readonly Run[], shift: number): void {
  clear(view, text.length);
  for (const { start, end } of runs) {
    for (let at = start + shift; at + 1 < end; at += 4) {
      const a = sextet(text, at);
      const b = sextet(text, at + 1);
      push(view, foldByte(((a << 2) | (b >> 4)) & 0xff), at, at + 2);
      if (at + 2 >= end) break;
      const c = sextet(text, at + 2);
      push(view, foldByte(((b << 4) | (c >> 2)) & 0xff), at + 1, at + 3);
      if (at + 3 < end) push(view, foldByte(((c << 6) | sextet(text, at + 3)) & 0xff), at + 2, at + 4);
    }
    push(view, BREAK, start, start);
  }
}

function sextet(text: string, at: number): number {
  return SEXTETS[text.charCodeAt(at)] ?? 0;
}

/** The most characters between two digits of one number. */
const MAX_GAP = 3;
const SEPARATORS: ReadonlySet<number> = new Set(
  Array.from(' \t\r\n().+/:-\u00A0\u2007\u202F\u2010\u2011\u2012\u2013\u2014\u2015', (one) => one.charCodeAt(0)),
);

/** Reads the digits alone, across common separators. */
export function readDigits(view: View, text: string): boolean {
  clear(view, 2 * text.length + 1);
  let gap = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = foldUnit(text.charCodeAt(at));
    if (unit >= 0x30 && unit <= 0x39) {
      push(view, unit, at, at + 1);
      gap = 0;
    } else if (unit !== IGNORED && gap <= MAX_GAP) {
      gap += SEPARATORS.has(text.charCodeAt(at)) ? 1 : MAX_GAP + 1;
      if (gap > MAX_GAP && view.length > 0 && view.units[view.length - 1] !== BREAK) push(view, BREAK, at, at);
    }
  }
  return view.length > 0;
}
