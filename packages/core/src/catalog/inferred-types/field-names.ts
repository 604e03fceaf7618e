/** Maximum characters and words of a field's name. Longer keys are texts. */
const MAX_CHARACTERS = 40;
const MAX_WORDS = 5;
/** An identifier: letters, single underscores, and at most one number of two digits. */
const IDENTIFIER = /^[_$]{0,2}[A-Za-z]+(?:_[A-Za-z]+)*(?:_?\d{1,2}(?:_?[A-Za-z]+(?:_[A-Za-z]+)*)?)?_?$/;
const HEXADECIMAL = /^[\da-f]{6,}$/i;
/** Capitals with digits, without a separator: `U02ABCDEF`. */
const CODE = /^(?=.*\d)[A-Z\d]{4,}$/;
const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;
/** A word of this many letters has a vowel. */
const VOWEL_LETTERS = 6;
/** Average letters of the words in a name of three or more. Random letters have shorter ones. */
const MIN_AVERAGE_LETTERS = 2.5;

/**
 * Returns whether a key of an object looks like the name of a field: an identifier of a few words. Ids, addresses, dates,
 * numbers, slugs and texts do not.
 */
export function isFieldName(key: string): boolean {
  if (key.length > MAX_CHARACTERS || !IDENTIFIER.test(key)) return false;
  if (HEXADECIMAL.test(key) || CODE.test(key)) return false;
  const words = key.match(WORD) ?? [];
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  if (words.length > MAX_WORDS || (words.length > 2 && letters / words.length < MIN_AVERAGE_LETTERS)) return false;
  return words.every((word) => word.length < VOWEL_LETTERS || /[aeiouy]/i.test(word));
}

/** Returns whether keys look like data together although each is an identifier: names (`Ada`), codes (`EUR`), `user_1` to `user_3`. */
export function areDataKeys(keys: readonly string[]): boolean {
  if (keys.length > 0 && keys.every((key) => NAME_OR_CODE.test(key))) return true;
  return keys.length >= MIN_NUMBERED && new Set(keys.map((key) => key.replace(/\d+/, '#'))).size === 1;
}

const NAME_OR_CODE = /^(?:[A-Z][a-z]|[A-Z]{2,}$)/;
/** `line1` and `line2` are fields. */
const MIN_NUMBERED = 3;
