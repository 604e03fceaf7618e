import type { Span } from '../detector.ts';
import { hintBefore, phoneWordAfter } from '../hints/nearby-words.ts';
import type { Hint } from '../hints/words.ts';
import { isWord } from './boundaries.ts';
import { isIssued, isLuhn, isSsn } from './checksums.ts';

const UNITS = 'zero one two three four five six seven eight nine'.split(' ');
const TEENS = 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' ');
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
/** The digits of each word. */
const DIGITS: ReadonlyMap<string, string> = new Map([
  ...UNITS.map((word, digit): [string, string] => [word, String(digit)]),
  ...TEENS.map((word, index): [string, string] => [word, String(10 + index)]),
  ...TENS.map((word, index): [string, string] => [word, `${2 + index}0`]),
  ['oh', '0'],
  ['o', '0'],
  ['nought', '0'],
]);
const REPEATS: ReadonlyMap<string, number> = new Map([
  ['double', 2],
  ['triple', 3],
]);
/** The beginnings of words that occur in nearly every spoken number, so that few other words are read. */
export const SPOKEN_BEGINNINGS: readonly string[] = [
  'zer',
  'fiv',
  'six',
  'sev',
  'eig',
  'nin',
  'thr',
  'fou',
  'two',
  'one',
];
const TOKEN =
  /(?: (?:and|dash|hyphen|space|dot|point) |[,.…-]{1,3}[ \t]?|[ \t]-[ \t]|[ \t]|\r?\n)?([a-z]{1,9}|\d{1,4})(?![\p{L}\p{N}])/iuy;
const AREA_CODE = /area code(?: is)?[ ,:]{0,2}$/i;
const MAX_TOKENS = 40;
const MAX_BACK_CHARS = 24;
const MIN_DIGITS = 7;
const FILLER: ReadonlySet<string> = new Set(['area', 'code', 'um', 'uh', 'er', 'then']);

/**
 * Returns the number in words at a position: "four one five, five five five, two six seven one". A run of at least seven
 * digits is a phone, SSN or card by its length and the words before it. The end of a read run is returned without a span
 * too.
 */
export function spokenNumberAt(text: string, at: number): { span?: Span; end: number } {
  if (at > 0 && isWord(text.charCodeAt(at - 1))) return { end: at };
  const start = firstOfRun(text, at);
  const { digits, end, words } = read(text, start);
  if (digits.length < MIN_DIGITS || words < MIN_DIGITS - 2) return { end: Math.max(at, words > 1 ? end : at) };
  const isPhone = AREA_CODE.test(text.slice(Math.max(0, start - MAX_BACK_CHARS), start));
  const type = typeOf(digits, isPhone || phoneWordAfter(text, end) ? 'PHONE' : hintBefore(text, start, undefined));
  return type === undefined ? { end } : { span: { start, end, type, evidence: 'shape+context' }, end };
}

/** Returns the start of a word such as "oh" or "double" directly before a position, or the position. */
function firstOfRun(text: string, at: number): number {
  const before =
    /(?:^|[^\p{L}\p{N}_])((?:(?:oh|o|one|two|ten|eleven|twelve|(?:twen|thir|for|fif|eigh|nine)ty|fifteen|double|triple|plus)[ ,-]{1,2}){1,3})$/iu.exec(
      text.slice(Math.max(0, at - MAX_BACK_CHARS), at),
    )?.[1];
  return before === undefined ? at : at - before.length;
}

/** Reads the words of a number as digits. */
function read(text: string, start: number): { digits: string; end: number; words: number } {
  let digits = '';
  let end = start;
  let words = 0;
  let repeat = 1;
  let at = start;
  let tens = false;
  for (let count = 0; count < MAX_TOKENS; count++) {
    TOKEN.lastIndex = at;
    const word = TOKEN.exec(text)?.[1]?.toLowerCase();
    if (word === undefined) break;
    at = TOKEN.lastIndex;
    const spoken = DIGITS.get(word);
    const times = REPEATS.get(word);
    if (times !== undefined) repeat = times;
    else if (word === 'hundred' && digits !== '') digits += '00';
    else if (spoken === undefined && /^\d/.test(word) && words > 0) digits += word;
    else if (spoken === undefined && !(FILLER.has(word) || (word === 'plus' && count === 0))) break;
    else if (spoken !== undefined) {
      // "fifty five" are two digits.
      if (tens && spoken.length === 1 && spoken !== '0') digits = digits.slice(0, -1) + spoken;
      else digits += spoken.repeat(repeat);
      tens = spoken.length === 2 && spoken.endsWith('0') && spoken !== '10';
      repeat = 1;
      words++;
    } else continue;
    if (times === undefined) end = at;
  }
  return { digits, end, words };
}

function typeOf(digits: string, hint: Hint | undefined): Hint | undefined {
  if (hint === 'SSN' && digits.length === 9 && isSsn(digits, true)) return 'SSN';
  if (digits.length > 12 && digits.length < 20 && (hint === 'CREDIT_CARD' || (isIssued(digits) && isLuhn(digits)))) {
    return 'CREDIT_CARD';
  }
  if (hint === 'PHONE' && digits.length < 16) return 'PHONE';
  return hint === undefined && (digits.length === 10 || (digits.length === 11 && digits.startsWith('1')))
    ? 'PHONE'
    : undefined;
}
