import type { Span } from '../detector.ts';
import { phoneWordAfter } from '../hints/nearby-words.ts';
import type { Hint } from '../hints/words.ts';
import { isDigit, isWord } from '../rules/boundaries.ts';
import { isIssued, isLuhn, isSsn } from '../rules/checksums.ts';
import { isReserved } from '../rules/reserved-addresses.ts';
import { spokenHint } from './context.ts';
import { DEFAULT_LANGUAGE, DOT_WORDS, FILLERS, type Language, languagesOf } from './languages.ts';

/** The beginnings of words that occur in nearly every spoken number, and of groups of figures with pauses between. */
export const SPOKEN_BEGINNINGS: readonly string[] =
  'zer one two thr fou fiv six sev eig nin nul ein zwe zwo dre vie sec sie ach neu dou deu tro qua cin hui vin tre cer uno dos cua sie och nue due qua otto nov doi oit twe vij zev neg'
    .split(' ')
    .map((word) => word.slice(0, 3))
    .concat('1 1', '1, ', '1..', '1. ');

/** The end of a line may be followed by a time and the name of the next speaker. */
const TURN =
  "[ \\t]{0,2}[.?!,]{0,2}\\r?\\n(?:\\[[^\\]\\n]{1,20}\\][ \\t]?)?(?:[\\p{L}_][\\p{L}\\p{N}_ .']{0,24}:[ \\t]?)?";
const TOKEN = new RegExp(
  `(?: ?(?:[,;.…-]{1,3}) {0,2}| {1,2}|${TURN})?(\\p{L}[\\p{L}'’]{0,17}|\\d{1,6})(?![\\p{L}\\p{N}_])`,
  'uy',
);
const WORD_BEFORE = /(?:^|[^\p{L}\p{N}_])(\p{L}{1,15}|\d{1,6})[ ,.…-]{1,5}$/u;
const MAX_TOKENS = 60;
const MAX_FILLERS = 6;
const MAX_BACK_TOKENS = 8;
const MAX_BACK_CHARS = 22;
const MIN_DIGITS = 7;
const MIN_TOKENS = 3;
const MAX_FIGURES = 6;
/** More than the digits of a card. */
const MAX_ROW = 20;
const MAX_ROW_CHARS = 2_000;
const MAX_WORD_CHARS = 17;
const NEWLINE = 10;
const SPACE = 32;
const COMMA = 44;
const HYPHEN = 45;
const POINT = 46;
const ELLIPSIS = 0x2026;
const FIGURES: readonly Language[] = [DEFAULT_LANGUAGE];
/** Phones that need no word near them: with the trunk zero, of North America, of Spain. */
const ENGLISH_PHONE = /^(?:1?[2-9]\d{9}|0[1-9]\d{8,9})$/;
const OTHER_PHONE = /^(?:0\d{8,12}|[679]\d{8})$/;
/** The sizes of groups of figures in numbers of 13 to 19, 9 and fewer than 16 digits. */
const CARD_SIZES = /^(?:4444|465|464|1+)$/;
const SSN_SIZES = /^(?:324|1+|333)$/;
const PHONE_SIZES = /^(?:1?334|1{7,}|.[2-4]{2,5}1?)$/;
const OCTETS = 4;
const VERSION_BEFORE = /\b(?:version|release|build|firmware|update|v)\b[^\n.]*$/i;
/** Month and day, or day and month, and a year. */
const BIRTHDAY =
  /^(?:(?:0?[1-9]|1[0-2])(?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])(?:0?[1-9]|1[0-2]))(?:(?:19|20)?\d\d|2000\d{0,2})$/;

/** A number that was read. */
interface Reading {
  readonly language: Language;
  digits: string;
  end: number;
  /** The digits between words for a point. */
  parts: string[];
  /** The digits of each token. */
  sizes: number[];
  /** The tokens with digits, and those of them that are words. */
  tokens: number;
  words: number;
}

/**
 * Returns the number in words at a position: "four one five, uh, five five five, two six seven one". Fillers, figures and the
 * next speaker's name may be between the words. Its type follows from its length and the words before it. The end of a read
 * run is returned without a span too.
 */
export function spokenNumberAt(text: string, from: number): { span?: Span; end: number } {
  const isFigure = isDigit(text.charCodeAt(from));
  if (isFigure && !isPause(text, from + 1)) return { end: from };
  const at = isFigure ? startOfFigures(text, from) : from;
  if (at > 0 && isWord(text.charCodeAt(at - 1))) return { end: from };
  const row = isFigure ? endOfRow(text, at) : -1;
  if (row > 0) return { end: row };
  let best: Reading | undefined;
  let start = at;
  for (const language of isFigure ? FIGURES : languagesOf(wordAt(text, at))) {
    if (read(text, at, language).tokens < MIN_TOKENS - 1) continue;
    const first = firstOfRun(text, at, language);
    const reading = read(text, first, language);
    if (best && reading.digits.length <= best.digits.length) continue;
    [best, start] = [reading, first];
  }
  if (!best || best.tokens < MIN_TOKENS) return { end: from };
  const type = typeOf(text, start, best);
  const end = Math.max(from, best.end);
  return type === undefined ? { end } : { span: { start, end: best.end, type, evidence: 'shape+context' }, end };
}

/** Returns the end of a row with more figures than any number has, such as a list of measurements, or -1. */
function endOfRow(text: string, start: number): number {
  let count = 0;
  let at = start;
  for (; at < start + MAX_ROW_CHARS; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === SPACE) count += isDigit(text.charCodeAt(at - 1)) ? 1 : 0;
    else if (!isDigit(code)) break;
  }
  return count > MAX_ROW ? at : -1;
}

/** Checks for a pause of speech behind a figure: a comma or points, or a space between single figures. */
function isPause(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code === SPACE) return !isDigit(text.charCodeAt(at - 2)) && !isDigit(text.charCodeAt(at + 2));
  if (code !== COMMA && code !== POINT) return false;
  if (text.charCodeAt(at + 1) === SPACE) return isWord(text.charCodeAt(at + 2));
  return code === POINT && isWord(text.charCodeAt(at + 4));
}

function startOfFigures(text: string, from: number): number {
  let at = from;
  while (at > 0 && from - at < MAX_FIGURES && isDigit(text.charCodeAt(at - 1))) at--;
  return at;
}

/** Returns the word in lower case, or nothing if no other word can follow in the same number. */
function wordAt(text: string, at: number): string {
  let end = at;
  while (end - at <= MAX_WORD_CHARS && isWord(text.charCodeAt(end))) end++;
  const next = text.charCodeAt(end);
  return next === SPACE || next === COMMA || next === HYPHEN || next === POINT || next === ELLIPSIS || next === NEWLINE
    ? text.slice(at, end).toLowerCase()
    : '';
}

/** Returns the start of words such as "oh", "double" or figures directly before a position, or the position. */
function firstOfRun(text: string, at: number, language: Language): number {
  let start = at;
  let candidate = at;
  for (let count = 0; count < MAX_BACK_TOKENS; count++) {
    const window = text.slice(Math.max(0, candidate - MAX_BACK_CHARS), candidate);
    const found = WORD_BEFORE.exec(window);
    const word = found?.[1]?.toLowerCase();
    if (!found || word === undefined || (found.index === 0 && candidate > MAX_BACK_CHARS)) break;
    const isDigits = /^\d/.test(word) || digitsOf(word, language) !== undefined;
    if (!isDigits && !language.repeats.has(word) && word !== 'plus' && !isBetween(word)) break;
    candidate -= window.length - found.index - (/^[\p{L}\p{N}]/u.test(found[0]) ? 0 : 1);
    if (isDigits || !isBetween(word)) start = candidate;
  }
  return start;
}

/** Checks for a word that is a part of a number only between digits. */
function isBetween(word: string): boolean {
  return DOT_WORDS.has(word) || FILLERS.has(word);
}

function digitsOf(word: string, language: Language): string | undefined {
  return language.digits.get(word) ?? (word.length > 8 && language.compound?.test(word) ? '00' : undefined);
}

/** Reads the words of a number as digits. */
function read(text: string, start: number, language: Language): Reading {
  const reading: Reading = { language, digits: '', end: start, parts: [''], sizes: [], tokens: 0, words: 0 };
  let at = start;
  let repeat = 1;
  let fillers = 0;
  let dot = false;
  let last = '';
  for (let count = 0; count < MAX_TOKENS && fillers <= MAX_FILLERS; count++) {
    TOKEN.lastIndex = at;
    const word = TOKEN.exec(text)?.[1]?.toLowerCase();
    if (word === undefined || (/\d$/.test(word) && text[TOKEN.lastIndex - word.length - 1] === '.')) break;
    at = TOKEN.lastIndex;
    const times = language.repeats.get(word);
    const isFigure = /^\d/.test(word);
    const spoken = isFigure ? word : digitsOf(word, language);
    if (spoken !== undefined) {
      if (!isFigure && fillers > 0 && isBeginOfSentence(text, at, word)) break;
      if (dot) reading.parts.push('');
      append(reading, spoken, repeat, isTens(last) && !isFigure);
      last = isFigure ? '' : spoken;
      reading.end = at;
      if (!isFigure) reading.words++;
      [repeat, fillers, dot] = [1, 0, false];
    } else if (times !== undefined) repeat = times;
    else if (DOT_WORDS.has(word)) dot = true;
    else if (FILLERS.has(word) || (word === 'plus' && count === 0)) fillers++;
    else break;
  }
  return reading;
}

/** Checks for "one moment" after a number. */
function isBeginOfSentence(text: string, end: number, word: string): boolean {
  return (
    word === 'one' && /^ (?:moment|second|sec|more|thing|of|day|question|time|minute)\b/.test(text.slice(end, end + 12))
  );
}

function isTens(digits: string): boolean {
  return /^[2-9]0$/.test(digits);
}

/** Adds digits. "fifty five" and "soixante douze" are two digits. */
function append(reading: Reading, spoken: string, repeat: number, afterTens: boolean): void {
  const joins =
    afterTens && ((spoken.length === 1 && spoken !== '0') || (/^1\d$/.test(spoken) && /[68]0$/.test(reading.digits)));
  const cut = joins ? spoken.length : 0;
  const add = joins ? spoken : spoken.repeat(repeat);
  const part = reading.parts.length - 1;
  reading.digits = reading.digits.slice(0, reading.digits.length - cut) + add;
  const whole = reading.parts[part] ?? '';
  reading.parts[part] = whole.slice(0, whole.length - cut) + add;
  reading.tokens++;
  reading.sizes.push(spoken.length);
}

function typeOf(text: string, start: number, reading: Reading): Hint | undefined {
  const { digits, parts, end, tokens, words } = reading;
  if (parts.length === OCTETS && parts.every((part) => part.length < OCTETS && Number(part) < 256)) {
    return isReserved(parts.map(Number).join('.')) || VERSION_BEFORE.test(text.slice(Math.max(0, start - 40), start))
      ? undefined
      : 'IP';
  }
  const sizes = reading.sizes.join('');
  const inFigures = words === 0;
  if (
    parts.length > 2 ||
    digits.length < (inFigures ? MIN_DIGITS : 4) ||
    (digits.length < MIN_DIGITS && !BIRTHDAY.test(digits))
  )
    return undefined;
  // A list of arguments, such as a colour, is no speech.
  if (inFigures && (text[start - 1] === '(' || text[start - 1] === '[')) return undefined;
  if (inFigures && !CARD_SIZES.test(sizes) && !SSN_SIZES.test(sizes) && !PHONE_SIZES.test(sizes)) return undefined;
  const hint = spokenHint(text, start);
  if (hint === 'DATE_OF_BIRTH') return BIRTHDAY.test(digits) ? hint : undefined;
  if (digits.length < MIN_DIGITS) return undefined;
  if (digits.length > 12 && digits.length < 20 && hint !== 'OTHER' && (hint === 'CREDIT_CARD' || isCard(digits))) {
    const isCardRow = CARD_SIZES.test(sizes) || (hint === 'CREDIT_CARD' && isCard(digits));
    return inFigures && !isCardRow ? undefined : 'CREDIT_CARD';
  }
  if (hint === 'SSN')
    return digits.length === 9 && isSsn(digits, true) && (!inFigures || SSN_SIZES.test(sizes)) ? hint : undefined;
  if (hint === 'PHONE' || phoneWordAfter(text, end)) {
    return digits.length < 16 && (!inFigures || PHONE_SIZES.test(sizes)) ? 'PHONE' : undefined;
  }
  if (inFigures) return undefined;
  if (hint === 'NATIONAL_ID' || hint === 'PASSPORT') return digits.length < 15 ? hint : undefined;
  if (hint === 'OTHER' || hint === 'CREDIT_CARD') return undefined;
  const form = reading.language === DEFAULT_LANGUAGE ? ENGLISH_PHONE : OTHER_PHONE;
  return form.test(digits) && words >= 4 && tokens >= 5 && !digits.includes('3456789') ? 'PHONE' : undefined;
}

function isCard(digits: string): boolean {
  return isIssued(digits) && isLuhn(digits);
}
