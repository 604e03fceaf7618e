/** The minimum similarity of a suggestion, from 0 to 1. */
const MIN_LIKENESS = 0.55;
const MAX_NAME_CHARS = 120;
/** The similarity of equal tool names of different servers. */
const TAIL_SHARE = 0.97;

/**
 * Returns the candidates that are most similar to an unknown name, best first. Similar are names with typos, with the same
 * words in another order, or with an additional or missing prefix. Returns an empty list when no name is similar.
 */
export function suggest(name: string, candidates: Iterable<string>, max = 3): string[] {
  const wanted = pattern(lower(name));
  const wantedTail = pattern(tail(lower(name)));
  const words = wordsOf(name);
  const best: { candidate: string; likeness: number }[] = [];
  for (const candidate of candidates) {
    if (candidate === name || max < 1) continue;
    // A candidate below the worst of the best needs no exact measurement.
    const least = best.length < max ? MIN_LIKENESS : Math.max(MIN_LIKENESS, best.at(-1)?.likeness ?? 0);
    const text = lower(candidate);
    const likeness = Math.max(
      wordLikeness(words, text),
      editLikeness(wanted, text, least),
      TAIL_SHARE * editLikeness(wantedTail, tail(text), least),
      verbLikeness(name, candidate),
    );
    if (likeness < least) continue;
    best.push({ candidate, likeness });
    best.sort((a, b) => b.likeness - a.likeness || compare(a.candidate, b.candidate));
    if (best.length > max) best.pop();
  }
  return best.map(({ candidate }) => candidate);
}

/** Verbs that tools use for each other. */
const VERBS: readonly ReadonlySet<string>[] = [
  'fetch find get list load lookup query read retrieve search show view',
  'add create insert make new post',
  'change edit modify patch set update write',
  'cancel delete drop remove',
  'post publish send submit',
].map((verbs) => new Set(verbs.split(' ')));
/** The similarity of names that differ in such a verb only, in the same server. */
const VERB_LIKENESS = 0.9;

/** Returns the similarity of names with the same words after verbs of the same meaning: list_contacts, search_contacts. */
function verbLikeness(name: string, candidate: string): number {
  const [verb = '', ...noun] = wordsOf(tail(name).replace(/_/g, ' '));
  const [other = '', ...otherNoun] = wordsOf(tail(candidate).replace(/_/g, ' '));
  if (noun.length === 0 || noun.join(' ') !== otherNoun.join(' ')) return 0;
  if (!VERBS.some((verbs) => verbs.has(verb) && verbs.has(other))) return 0;
  const isSameServer = !name.includes('__') || name.split('__', 1)[0] === candidate.split('__', 1)[0];
  return isSameServer ? VERB_LIKENESS : TAIL_SHARE * VERB_LIKENESS;
}

/** A prepared name, which is compared with many candidates. */
interface Pattern {
  readonly plain: string;
  readonly letters: number;
}

function pattern(text: string): Pattern {
  return { plain: plain(text), letters: letters(text) };
}

/** Returns the part of a tool's id after the server's name. */
function tail(id: string): string {
  const at = id.indexOf('__');
  return at > 0 ? id.slice(at + 2) : id;
}

function lower(name: string): string {
  return name.slice(0, MAX_NAME_CHARS).toLowerCase();
}

function plain(text: string): string {
  return text.replace(/[\s._/:-]+/g, '');
}

function wordsOf(name: string): string[] {
  const split = name.slice(0, MAX_NAME_CHARS).replace(/([a-z\d])([A-Z])/g, '$1 $2');
  return [...new Set(split.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])];
}

/** Returns the share of characters in words that the name and the candidate have in common, in any order. */
function wordLikeness(words: readonly string[], candidate: string): number {
  let shared = 0;
  let total = 0;
  for (const word of words) {
    total += word.length;
    if (candidate.includes(word)) shared += word.length;
  }
  if (total === 0) return 0;
  return (0.95 * (shared / total + Math.min(1, shared / candidate.length))) / 2;
}

/** Returns 1 minus the share of characters to insert, delete, replace or swap; 0 when the result is below `least`. */
function editLikeness(wanted: Pattern, text: string, least: number): number {
  const bound = Math.floor(Math.max(wanted.plain.length, text.length) * (1 - least));
  if (wanted.plain.length - text.length > bound || lettersMissing(wanted.letters, letters(text)) > bound) return 0;
  const candidate = plain(text);
  const longest = Math.max(wanted.plain.length, candidate.length);
  const limit = Math.floor(longest * (1 - least));
  if (longest === 0 || Math.abs(wanted.plain.length - candidate.length) > limit) return 0;
  const distance = editDistance(wanted.plain, candidate, limit);
  return distance > limit ? 0 : 1 - distance / longest;
}

/** Returns a cheap lower bound of the edit distance: the number of letters that occur in one name only. */
function lettersMissing(a: number, b: number): number {
  return Math.max(ones(a & ~b), ones(b & ~a));
}

/** Returns the letters a to z of a lower-case text as a bit set. */
function letters(text: string): number {
  let set = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 97 && code <= 122) set |= 1 << (code - 97);
  }
  return set;
}

function ones(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** Rows of `editDistance`, reused: one search measures thousands of names. */
let rows = [0, 1, 2].map(() => new Uint16Array(MAX_NAME_CHARS + 1)) as [Uint16Array, Uint16Array, Uint16Array];

/** Returns the optimal string alignment distance. Distances above `limit` are not exact. */
export function editDistance(a: string, b: string, limit: number): number {
  const far = limit + 1;
  if (b.length >= rows[0].length) rows = [0, 1, 2].map(() => new Uint16Array(b.length + 1)) as typeof rows;
  let [before, previous, current] = rows;
  for (let column = 0; column <= b.length; column++) previous[column] = column;
  for (let row = 1; row <= a.length; row++) {
    // Cells further from the diagonal than the limit have distances above it.
    const from = Math.max(1, row - limit);
    const to = Math.min(b.length, row + limit);
    current.fill(far, 0, b.length + 1);
    if (row <= limit) current[0] = row;
    let least = far;
    for (let column = from; column <= to; column++) {
      const cost = Math.min(step(a, b, row, column, previous, current), swap(a, b, row, column, before));
      current[column] = cost;
      if (cost < least) least = cost;
    }
    if (least > limit && row > limit) return far;
    [before, previous, current] = [previous, current, before];
  }
  return previous[b.length] ?? far;
}

function step(a: string, b: string, row: number, column: number, previous: Uint16Array, current: Uint16Array): number {
  const replaced = a.charCodeAt(row - 1) === b.charCodeAt(column - 1) ? 0 : 1;
  const edited = Math.min(previous[column] ?? 0, current[column - 1] ?? 0) + 1;
  return Math.min(edited, (previous[column - 1] ?? 0) + replaced);
}

/** Returns the distance for two swapped characters. */
function swap(a: string, b: string, row: number, column: number, before: Uint16Array): number {
  const swapped =
    row > 1 &&
    column > 1 &&
    a.charCodeAt(row - 1) === b.charCodeAt(column - 2) &&
    a.charCodeAt(row - 2) === b.charCodeAt(column - 1);
  return swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
