import { isCommonWord } from '../detection/hints/frequent-words.ts';
import { foldBytes, foldText, isPlainAscii } from './fold.ts';
import type { Pattern } from './value-index.ts';

/** The parts of a known value that a search needs. */
export interface KnownSpellings {
  readonly name: string;
  readonly type: string;
  readonly spellings: readonly { readonly text: string }[];
}

/** Shorter values are too common to search for. */
const MIN_UNITS = 3;
/** Shorter values count only in their own case, without a letter or digit next to them. */
const MIN_FREE_UNITS = 6;
/** Shorter numbers count only without a digit next to them. */
const MIN_FREE_DIGITS = 10;
const MIN_DIGITS = 7;
/** Digits of a phone number without its calling code. */
const NATIONAL_DIGITS = 10;
/** Longer values are found by their beginning. */
export const MAX_PATTERN_UNITS = 4_096;

/** Types whose values can be ordinary words. */
const WORD_TYPES: ReadonlySet<string> = new Set(['NAME', 'ADDRESS']);

/**
 * Returns the patterns of a value in texts, and those in the digits of a text. A name that is one common word has none: it
 * is redacted only in a field that describes a person.
 */
export function patternsOf({ name, type, spellings }: KnownSpellings): { texts: Pattern[]; digits: Pattern[] } {
  const texts: Pattern[] = [];
  const digits: Pattern[] = [];
  for (const { text } of spellings) {
    const folded = foldText(text).slice(0, MAX_PATTERN_UNITS);
    const words = WORD_TYPES.has(type) && !/\s/.test(text.trim());
    if (folded.length < MIN_UNITS || (words && isCommonWord(text.trim()))) continue;
    const short = folded.length < MIN_FREE_UNITS;
    const edges = short || (/^\d+$/.test(folded) && folded.length < MIN_FREE_DIGITS);
    texts.push({ name, folded, edges, words, exact: short ? text : undefined });
    // URLs, hex and base64 encode UTF-8 bytes.
    const isSame = short || isPlainAscii(text);
    const bytes = isSame ? folded : foldBytes(text.slice(0, MAX_PATTERN_UNITS)).slice(0, MAX_PATTERN_UNITS);
    if (bytes !== folded) texts.push({ name, folded: bytes, edges: false, words: false, exact: undefined });
    const all = folded.replaceAll(/\D/g, '');
    if (all.length < MIN_DIGITS) continue;
    const national = type === 'PHONE' && all.length > NATIONAL_DIGITS ? [all.slice(-NATIONAL_DIGITS)] : [];
    for (const number of [all, ...national]) {
      digits.push({ name, folded: number, edges: number.length < MIN_FREE_DIGITS, words: false, exact: undefined });
    }
  }
  return { texts, digits };
}
