import type { Known } from '../vault/record.ts';
import { foldBytes, foldText } from './fold.ts';
import type { Pattern } from './value-index.ts';

/** Shorter values are too common to be looked for at all. */
const MIN_UNITS = 3;
/** Shorter values count only in their own case, and with no letter or digit beside them. */
const MIN_FREE_UNITS = 6;
/** Shorter numbers count only with no digit beside them. */
const MIN_FREE_DIGITS = 10;
const MIN_DIGITS = 7;
/** A phone number without the code of its country. */
const NATIONAL_DIGITS = 10;
/** Of a longer value its beginning is looked for. */
export const MAX_PATTERN_UNITS = 4_096;

/** The forms of a value that are looked for in text, and those in digits alone. */
export function patternsOf({ name, type, spellings }: Known): { texts: Pattern[]; digits: Pattern[] } {
  const texts: Pattern[] = [];
  const digits: Pattern[] = [];
  for (const { text } of spellings) {
    const folded = foldText(text).slice(0, MAX_PATTERN_UNITS);
    if (folded.length < MIN_UNITS) continue;
    const short = folded.length < MIN_FREE_UNITS;
    const edges = short || (/^\d+$/.test(folded) && folded.length < MIN_FREE_DIGITS);
    texts.push({ name, folded, edges, exact: short ? text : undefined });
    // As bytes of UTF-8, which is what encodings are made of.
    const bytes = foldBytes(text.slice(0, MAX_PATTERN_UNITS)).slice(0, MAX_PATTERN_UNITS);
    if (bytes !== folded && !short) texts.push({ name, folded: bytes, edges: false, exact: undefined });
    const all = folded.replaceAll(/\D/g, '');
    if (all.length < MIN_DIGITS) continue;
    const national = type === 'PHONE' && all.length > NATIONAL_DIGITS ? [all.slice(-NATIONAL_DIGITS)] : [];
    for (const number of [all, ...national]) {
      digits.push({ name, folded: number, edges: number.length < MIN_FREE_DIGITS, exact: undefined });
    }
  }
  return { texts, digits };
}
