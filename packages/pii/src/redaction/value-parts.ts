/** Words of a value that are combined to parts. Longer values, such as texts, have no parts. */
const MAX_WORDS = 10;
const WORD = /[\p{L}\p{N}]+/gu;
/** Letters at the start of a word, and digits at both ends of a number, that programs look for. */
const MIN_WORD_START = 3;
const DIGIT_STARTS = [3, 4, 5, 6];
const DIGIT_ENDS = [4, 5, 6];
/** A number with fewer digits has no parts. */
const MIN_DIGITS = 7;
/** Digits of a country's calling code, which programs may have cut off. */
const CALLING_CODES = [0, 1, 2, 3];

/**
 * Returns the parts of a value that programs look for, without the value as a whole. They are runs of words, also with the character
 * before or after them (`@x.com`). The starts of words, and the first and last digits of a number, are parts too.
 */
export function partsOf(text: string): string[] {
  const words = [...text.matchAll(WORD)].map((found) => ({ start: found.index, end: found.index + found[0].length }));
  if (words.length > MAX_WORDS) return [];
  const parts = new Set<string>(digitParts(text.replaceAll(/\D/g, '')));
  for (const [index, { start }] of words.entries()) {
    for (const { end } of words.slice(index)) {
      for (const from of start > 0 ? [start - 1, start] : [start]) {
        for (const to of end < text.length ? [end, end + 1] : [end]) parts.add(text.slice(from, to));
      }
    }
  }
  for (const { start, end } of words) {
    for (let to = start + MIN_WORD_START; to < end; to++) parts.add(text.slice(start, to));
  }
  // Two letters are enough for a name: /^Jo/.
  if (/^\p{Lu}\p{Ll}/u.test(text)) parts.add(text.slice(0, 2));
  parts.delete(text);
  return [...parts];
}

function digitParts(digits: string): string[] {
  if (digits.length < MIN_DIGITS) return [];
  const starts = CALLING_CODES.flatMap((from) => DIGIT_STARTS.map((count) => digits.slice(from, from + count)));
  return [...starts, ...DIGIT_ENDS.map((count) => digits.slice(-count))];
}
