/** The longest value that a cut keeps whole, in characters on each side of the cut. */
const MAX_VALUE_CHARACTERS = 300;
const SPACE = /\s/;
/** The groups of a number are one value: `4929 1234 5678 9104`. */
const NUMERIC = /[\d+()/.-]/;
/** Values that have a form of their own have a digit or an at sign. */
const MAY_BE_VALUE = /[\d@]/;

/**
 * Returns the largest offset up to `end` that is not inside of a word with a digit or `@`, or of a number with spaces. A text that
 * is redacted after a cut needs it: the start of an address is not recognised.
 */
export function cutOutsideValues(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const [first, last] = [Math.max(0, end - MAX_VALUE_CHARACTERS), Math.min(text.length, end + MAX_VALUE_CHARACTERS)];
  let from = end;
  while (from > first && !isGap(text, from - 1)) from--;
  let to = end;
  while (to < last && !isGap(text, to)) to++;
  return MAY_BE_VALUE.test(text.slice(from, to)) ? from : end;
}

/** Checks for white space that is not between two groups of a number. */
function isGap(text: string, at: number): boolean {
  const isSpace = SPACE.test(text[at] ?? ' ');
  return isSpace && !(NUMERIC.test(text[at - 1] ?? '') && NUMERIC.test(text[at + 1] ?? ''));
}
