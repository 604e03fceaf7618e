import { isDigit } from '../rules/boundaries.ts';
import { keyHint } from './keys.ts';
import { HINT_WORDS, type Hint, PHONE_LETTERS } from './words.ts';

const MAX_WORDS = 8;
/** The most words of a label at the end of the previous line. */
const LABEL_WORDS = 4;
const MAX_CHARS = 80;
const MAX_WORD_CHARS = 40;
const REMEMBERED_CHARS = 40;
let lastPosition = Number.POSITIVE_INFINITY;
let lastHint: Hint | undefined;
const NEWLINE = 10;
const COLON = 58;
const SLASH = 47;
const LESS = 60;
const FIRST_IDEOGRAPH = 0x2e80;
const AFTER = /^[\s,;:()\-–|]{0,3}(\p{L}{1,20})/u;
const AFTER_CHARS = 32;
/** "… is still your number?", "… is my new mobile" */
const LATER = /^ (?:is|was|still)\b[^.\n\d]{0,18}\b(?:number|phone|mobile|cell)\b/i;
const AFTER_PHONE: ReadonlySet<string> = new Set(
  'phone tel telephone cell mobile mob fax office home work desk landline whatsapp voicemail mobil handy'.split(' '),
);
/** Places of phones: they indicate a phone only directly before a number. */
const PLACES: ReadonlySet<string> = new Set([
  'office',
  'home',
  'work',
  'desk',
  'direct',
  'contact',
  'portable',
  'fixe',
]);
/** Ambiguous words for a phone: they count in the same sentence only, without code punctuation between. */
const WEAK: ReadonlySet<string> = new Set(
  `call calls called calling callback dial dialed dialing ring rang text texting texted contact contacts reach reached
  reachable answer answering message messages messaging pager desk office direct switchboard extension home work portable fixe
  numéro numero numer viber signal telegram emergency`.split(/\s+/),
);
/** Characters between a label and its value. */
const LABEL =
  /^["'`*]{0,3}[ \t]{0,3}(?:[:=#]|is|at|on)?[ \t\n]{0,3}["'`*+(]{0,3}[ +(]{0,2}$|^[^"[\]{}<>;|=`\n\\]{0,12}$/;
/** Characters after a letter that indicates a phone: "M: 07700 900123", "T. (030) …". */
const LETTER_LABEL = /^[.:][ \t]{0,3}[+(]{0,2}$/;
const SHORT_WORD_CHARS = 3;
const BREAK = /["[\]{}<>;|=`\n\\]|\. /;
/** Types that words of running text can indicate. */
const TEXT_HINTS: ReadonlySet<string> = new Set([...HINT_WORDS.values()]);

/**
 * Returns the type that the nearest known word before a position indicates, else `fallback`. Reads at most eight words and
 * 80 characters, across one line end.
 */
export function hintBefore(text: string, position: number, fallback: Hint | undefined): Hint | undefined {
  const hint = text[position - 1] === '=' ? search(text, position, 1) : remembered(text, position);
  return hint ?? fallback;
}

/** The cached result of a text. */
export type TextMemory = readonly [position: number, hint: Hint | undefined];

/** Clears the cached result. Call it before each text. */
export function beginText(): void {
  lastPosition = Number.POSITIVE_INFINITY;
}

/** Returns the cached result, for a text that is continued after another one. */
export function pauseText(): TextMemory {
  return [lastPosition, lastHint];
}

/** Sets the cached result of a text that is continued. */
export function continueText(memory: TextMemory): void {
  [lastPosition, lastHint] = memory;
}

/** Returns the cached result until a word or line end follows: rows of numbers search the same words again and again. */
function remembered(text: string, position: number): Hint | undefined {
  if (position >= lastPosition && position - lastPosition < REMEMBERED_CHARS) {
    let at = position - 1;
    while (at >= lastPosition && text.charCodeAt(at) !== NEWLINE && !isWordCharacter(text.charCodeAt(at))) at--;
    if (at < lastPosition) return lastHint;
  }
  lastHint = search(text, position, MAX_WORDS);
  lastPosition = position;
  return lastHint;
}

/** Searches at most `most` words back. In `after=123` only the name counts, not the words of the URL before it. */
function search(text: string, position: number, most: number): Hint | undefined {
  const limit = Math.max(0, position - MAX_CHARS);
  let crossed = false;
  let words = 0;
  for (let at = position - 1; at >= limit && words < most; at--) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE) {
      if (crossed || !endsWithLabel(text, at)) break;
      crossed = true;
    }
    if (!isWordCharacter(code)) continue;
    const end = at + 1;
    while (at > 0 && end - at < MAX_WORD_CHARS && isWordCharacter(text.charCodeAt(at - 1))) at--;
    // A closing tag in XML is about the value before it.
    if (text.charCodeAt(at - 1) === SLASH && text.charCodeAt(at - 2) === LESS) continue;
    words++;
    const hint = hintOf(text, at, end, position);
    if (crossed && (hint === 'OTHER' || words > LABEL_WORDS)) break;
    if (hint === 'PHONE' && !isPhoneContext(text, at, end, position, words)) continue;
    if (hint !== undefined && hint !== 'PHONE' && hasOwnNumber(hint, text.slice(end, position))) return undefined;
    if (hint) return hint;
  }
  return undefined;
}

/** Checks whether another number follows the word first, which is then the number of the word. */
function hasOwnNumber(hint: Hint, between: string): boolean {
  return hint === 'OTHER' ? /\d[\w-]{0,20}[.;] /.test(between) : /\d{4}[^.,;]{0,40}[.,;]/.test(between);
}

/** Checks whether a word for a phone is about the number at a position. */
function isPhoneContext(text: string, start: number, end: number, position: number, words: number): boolean {
  const word = text.slice(start, end).toLowerCase();
  if (words > 2 && PLACES.has(word)) return false;
  if (!WEAK.has(word)) return true;
  const between = text.slice(end, position);
  return words === 1 ? LABEL.test(between) : !BREAK.test(between);
}

/** Checks whether a line ends with a label such as "Phone:" and not with a value. */
function endsWithLabel(text: string, lineEnd: number): boolean {
  const last = text.charCodeAt(text[lineEnd - 1] === '\r' ? lineEnd - 2 : lineEnd - 1);
  return last === COLON || isWordCharacter(last);
}

/** Checks whether the word after a number indicates a phone: "416 60 039 office". */
export function phoneWordAfter(text: string, position: number): boolean {
  let next = position;
  while (next < position + 4 && text.charCodeAt(next) < 48) next++;
  if (!(text.charCodeAt(next) > 64) && text.charCodeAt(next) !== COLON) return false;
  const after = text.slice(position, position + AFTER_CHARS);
  const [read, word] = AFTER.exec(after) ?? [];
  // A word before another number is about that number.
  if (read !== undefined && /^[ .:=]{0,3}[+(\d]/.test(after.slice(read.length))) return false;
  return word !== undefined && (AFTER_PHONE.has(word.toLowerCase()) || LATER.test(after));
}

function hintOf(text: string, start: number, end: number, position: number): Hint | undefined {
  // Letters between the digits of a hash or hexadecimal number are not a word.
  const inNumber = isDigit(text.charCodeAt(start - 1)) || isDigit(text.charCodeAt(end));
  if (inNumber && end - start <= SHORT_WORD_CHARS) return undefined;
  const word = text.slice(start, end).toLowerCase();
  const known = HINT_WORDS.get(word);
  if (known) return known;
  // Chinese and Japanese write no spaces between words; the last two characters of a run are the nearest word.
  if (word.charCodeAt(0) >= FIRST_IDEOGRAPH) return HINT_WORDS.get(word.slice(-2));
  if (word.length === 1 && PHONE_LETTERS.has(word) && LETTER_LABEL.test(text.slice(end, position))) return 'PHONE';
  const next = text[end];
  const joined =
    next === ':' || next === '=' || next === '"' || word.includes('_') || (next === '>' && text[start - 1] === '<');
  if (!joined || word.length < 3) return undefined;
  const hint = keyHint(text.slice(start, end));
  return hint !== undefined && TEXT_HINTS.has(hint) ? (hint as Hint) : undefined;
}

/** Letters of any script and `_`; digits are values, not words. */
function isWordCharacter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code >= 0xaa;
}
