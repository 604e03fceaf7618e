/** How alike two names must be, 0 to 1, before one is offered for the other. */
const MIN_LIKENESS = 0.55;
const MAX_NAME_CHARS = 120;
/** What the same tool name under another server's name counts. */
const TAIL_SHARE = 0.97;

/**
 * The candidates most like a name that was not found, best first: a few typos, the same words in another order, a prefix
 * too much or missing. Empty when nothing is near.
 */
export function suggest(name: string, candidates: Iterable<string>, max = 3): string[] {
  const wanted = pattern(lower(name));
  const wantedTail = pattern(tail(lower(name)));
  const words = wordsOf(name);
  const best: { candidate: string; likeness: number }[] = [];
  for (const candidate of candidates) {
    if (candidate === name || max < 1) continue;
    // Only what beats the worst of the best has to be measured exactly.
    const least = best.length < max ? MIN_LIKENESS : Math.max(MIN_LIKENESS, best.at(-1)?.likeness ?? 0);
    const text = lower(candidate);
    const likeness = Math.max(
      wordLikeness(words, text),
      editLikeness(wanted, text, least),
      TAIL_SHARE * editLikeness(wantedTail, tail(text), least),
    );
    if (likeness < least) continue;
    best.push({ candidate, likeness });
    best.sort((a, b) => b.likeness - a.likeness || compare(a.candidate, b.candidate));
    if (best.length > max) best.pop();
  }
  return best.map(({ candidate }) => candidate);
}

/** A name that many others are compared with. */
interface Pattern {
  readonly plain: string;
  readonly letters: number;
}

function pattern(text: string): Pattern {
  return { plain: plain(text), letters: letters(text) };
}

/** What follows the server's name in a tool's id. */
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

/** Share of characters that the words of a name and a candidate have in common, in any order. */
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

/** 1 for equal names, less by the share of characters to insert, delete, replace or swap; 0 when it is under `least`. */
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

/** A cheap lower bound of the edit distance: letters of one name that the other lacks altogether. */
function lettersMissing(a: number, b: number): number {
  return Math.max(ones(a & ~b), ones(b & ~a));
}

/** The set of letters a to z in a lower-case text. */
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

/** Returns the optimal string alignment distance, or any number over `limit` if it is more than that. */
export function editDistance(a: string, b: string, limit: number): number {
  const far = limit + 1;
  if (b.length >= rows[0].length) rows = [0, 1, 2].map(() => new Uint16Array(b.length + 1)) as typeof rows;
  let [before, previous, current] = rows;
  for (let column = 0; column <= b.length; column++) previous[column] = column;
  for (let row = 1; row <= a.length; row++) {
    // Further from the diagonal than the limit, every distance is over it.
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

/** Distance when the last two characters changed places. */
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
