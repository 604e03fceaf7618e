/** Words without meaning for a search of tools, in English, the language of most queries. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about all also am an and any are as at be been by can could did do does for from had has have help how i if in ' +
    'into is it its just let like may me might must my need no not of on or our please shall should so some such ' +
    'that the their them then there these they this those to tool tools use used using via want was we were what when ' +
    'where which while who will with would you your'
  ).split(' '),
);

const ASCII = /^[\0-\x7f]*$/;
const CAMEL_HUMP = /([a-z\d])([A-Z])/g;
const ACRONYM_END = /([A-Z])([A-Z][a-z])/g;
const ASCII_WORD = /[a-z]+\d*|\d+/g;
const ANY_WORD = /[\p{L}\p{M}]+\d*|\d+/gu;
const CJK_RUN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;
const MARKS = /\p{M}+/gu;

/** Longer words are noise, such as encoded data or minified code. */
const MAX_WORD_CHARS = 40;

/**
 * Returns the search terms of a text, in order. Splits identifiers (camelCase, snake_case, dots), drops stop words, stems
 * words, removes diacritics, and cuts Chinese, Japanese and Korean into pairs of characters.
 */
export function terms(text: string): string[] {
  const split = text.replace(ACRONYM_END, '$1 $2').replace(CAMEL_HUMP, '$1 $2').toLowerCase();
  if (ASCII.test(split)) return words(split.match(ASCII_WORD));
  const folded = split.normalize('NFKD').replace(MARKS, '').normalize('NFC');
  const pairs: string[] = [];
  const rest = folded.replace(CJK_RUN, (run) => {
    for (const pair of characterPairs(run)) pairs.push(pair);
    return ' ';
  });
  return [...words(rest.match(ANY_WORD)), ...pairs];
}

/** Returns the stem of an English word. Words of other languages change little. */
export function stem(word: string): string {
  if (word.length < 4) return word;
  let root = word;
  if (root.endsWith('ies') && root.length > 4) root = `${root.slice(0, -3)}y`;
  else if (root.endsWith('sses')) root = root.slice(0, -2);
  else if (root.endsWith('s') && !/(?:ss|us|is)$/.test(root)) root = root.slice(0, -1);
  const suffix = SUFFIX.exec(root);
  if (suffix && root.length - suffix[0].length >= 3) {
    root = root.slice(0, -suffix[0].length);
    if (/([bdfgmnprt])\1$/.test(root)) root = root.slice(0, -1);
  }
  if (root.endsWith('e') && root.length > 3) root = root.slice(0, -1);
  return root.length > 3 && root.endsWith('y') ? `${root.slice(0, -1)}i` : root;
}

const SUFFIX = /(?:(?<=.{4})ations?|ing|ings|ed|ion|or|er|ment|ly)$/;

function words(found: readonly string[] | null): string[] {
  const kept: string[] = [];
  for (const word of found ?? []) {
    if (word.length <= MAX_WORD_CHARS && !STOP_WORDS.has(word)) kept.push(stem(word));
  }
  return kept;
}

function characterPairs(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
