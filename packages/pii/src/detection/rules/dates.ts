import type { Span } from '../detector.ts';
import { hintBefore } from '../hints/nearby-words.ts';
import { type Hint, MONTHS } from '../hints/words.ts';
import { isDigit } from './boundaries.ts';

const NUMERIC =
  /(?:(?:1[89]|20)\d\d([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2(?:(?:1[89]|20)\d\d|\d\d(?![-/. ]?\d)))(?!\d|[-/]\d)/y;
/** A date in the order of ISO 8601, or any date in figures with a time. */
const WHOLE_DATE =
  /(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?![\d-])|(?:(?:19|20)\d\d([./])\d\d\1\d\d|\d\d([-./])\d\d\2(?:19|20)\d\d)[ T]\d\d:\d\d/y;
const COLON = 58;
const HYPHEN = 45;
const SLASH = 47;
/** A time with its offset from UTC. */
const TIME = /[T ]?\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?(?![:\w])/y;
const DAY_MONTH = /\d{1,2}(?:st|nd|rd|th|\.|º)?[ -](?:of |de )?(\p{L}{3,12})\.?,?[ -](?:de )?(\d{2,4})(?!\d)/uy;
const MONTH_DAY = /\d{1,2}(?:st|nd|rd|th)?,? \d{4}(?!\d)/y;
const MONTH_BEFORE = /(\p{L}{3,12})\.? $/u;

/** Returns the end of a date or time in figures at a position, with its span if it is a date of birth. */
export function dateAt(
  text: string,
  start: number,
  near: () => Hint | undefined,
): { span?: Span; end: number } | undefined {
  const sign = text.charCodeAt(skipDigits(text, start));
  if (sign !== COLON && (sign < HYPHEN || sign > SLASH)) return undefined;
  NUMERIC.lastIndex = start;
  if (sign === COLON || !NUMERIC.test(text)) {
    TIME.lastIndex = start;
    return TIME.test(text) ? { end: TIME.lastIndex } : undefined;
  }
  const end = NUMERIC.lastIndex;
  TIME.lastIndex = end;
  const read = TIME.test(text) ? TIME.lastIndex : end;
  if (near() !== 'DATE_OF_BIRTH') return { end: read };
  return { span: { start, end, type: 'DATE_OF_BIRTH', evidence: 'shape+context' }, end: read };
}

/** Checks for a date in figures that no other number can be: one of ISO 8601, or one with a time. */
export function isDateAt(text: string, at: number): boolean {
  const sign = text.charCodeAt(at + (isDigit(text.charCodeAt(at + 2)) ? 4 : 2));
  if (sign < HYPHEN || sign > SLASH) return false;
  WHOLE_DATE.lastIndex = at;
  return WHOLE_DATE.test(text);
}

function skipDigits(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

/** Returns a date of birth with the month as a word: "12 March 1985", or "March 12, 1985" from its day on. */
export function birthdayAt(text: string, start: number, hint: Hint | undefined): Span | undefined {
  if (!isNearMonth(text, start)) return undefined;
  DAY_MONTH.lastIndex = start;
  const found = DAY_MONTH.exec(text);
  if (found) {
    const [whole, month = '', year = ''] = found;
    // Months of other languages count with a whole year: "between 1 and 12" is no date.
    const isDate = year.length === 4 || MONTHS.has(month.toLowerCase());
    return isDate ? birthday(text, start, start + whole.length, hint) : undefined;
  }
  MONTH_DAY.lastIndex = start;
  if (!MONTH_DAY.test(text)) return undefined;
  const month = MONTH_BEFORE.exec(text.slice(Math.max(0, start - 14), start));
  if (!month || !MONTHS.has((month[1] ?? '').toLowerCase())) return undefined;
  const from = start - month[0].trimStart().length;
  return birthday(text, from, MONTH_DAY.lastIndex, hint);
}

/** Checks for a letter where a month can begin or end, which excludes most short numbers. */
function isNearMonth(text: string, start: number): boolean {
  if (start > 1 && text[start - 1] === ' ' && /[\p{L}.]/u.test(text[start - 2] ?? '')) return true;
  for (let at = start + 2; at < start + 5; at++) if (text.charCodeAt(at) >= 65) return true;
  return false;
}

function birthday(text: string, start: number, end: number, hint: Hint | undefined): Span | undefined {
  if (hintBefore(text, start, hint) !== 'DATE_OF_BIRTH') return undefined;
  return { start, end, type: 'DATE_OF_BIRTH', evidence: 'shape+context' };
}
