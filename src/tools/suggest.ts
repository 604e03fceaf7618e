/** How alike two names must be, 0 to 1, before one is offered for the other. */
const MIN_LIKENESS = 0.55;
const MAX_NAME_CHARS = 120;

/**
 * The candidates most like a name that was not found, best first: a few typos, the same words in another order, a prefix
 * too much or missing. Empty when nothing is near.
 */
export function suggest(name: string, candidates: Iterable<string>, max = 3): string[] {
  const wanted = plain(name);
  const wantedTail = plain(tail(name));
  const words = wordsOf(name);
  const found: { candidate: string; likeness: number }[] = [];
  for (const candidate of candidates) {
    if (candidate === name) continue;
    const whole = plain(candidate);
    let likeness = Math.max(editLikeness(wanted, whole), wordLikeness(words, whole));
    if (candidate.includes('__') || wantedTail !== wanted) {
      likeness = Math.max(likeness, 0.97 * editLikeness(wantedTail, plain(tail(candidate))));
    }
    if (likeness >= MIN_LIKENESS) found.push({ candidate, likeness });
  }
  found.sort((a, b) => b.likeness - a.likeness || compare(a.candidate, b.candidate));
  return found.slice(0, max).map(({ candidate }) => candidate);
}

/** What follows the server's name in a tool's id. */
function tail(id: string): string {
  const at = id.indexOf('__');
  return at > 0 ? id.slice(at + 2) : id;
}

function plain(name: string): string {
  return name
    .slice(0, MAX_NAME_CHARS)
    .toLowerCase()
    .replace(/[\s._/:-]+/g, '');
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

/** 1 for equal names, less by the share of characters to insert, delete, replace or swap; 0 when they differ too much. */
function editLikeness(a: string, b: string): number {
  const longest = Math.max(a.length, b.length);
  if (longest === 0) return 0;
  const limit = Math.floor(longest * (1 - MIN_LIKENESS));
  if (Math.abs(a.length - b.length) > limit || lettersMissing(a, b) > limit) return 0;
  const distance = editDistance(a, b, limit);
  return distance > limit ? 0 : 1 - distance / longest;
}

/** A cheap lower bound of the edit distance: letters of one name that the other lacks altogether. */
function lettersMissing(a: string, b: string): number {
  const inA = letters(a);
  const inB = letters(b);
  return Math.max(ones(inA & ~inB), ones(inB & ~inA));
}

function letters(text: string): number {
  let set = 0;
  for (let index = 0; index < text.length; index++) set |= 1 << (text.charCodeAt(index) & 31);
  return set;
}

function ones(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** Optimal string alignment distance; gives up with `limit + 1`. */
function editDistance(a: string, b: string, limit: number): number {
  let before = new Uint16Array(b.length + 1);
  let previous = Uint16Array.from({ length: b.length + 1 }, (_, column) => column);
  let current = new Uint16Array(b.length + 1);
  for (let row = 1; row <= a.length; row++) {
    current[0] = row;
    let least = row;
    for (let column = 1; column <= b.length; column++) {
      const same = a.charCodeAt(row - 1) === b.charCodeAt(column - 1);
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped =
        row > 1 &&
        column > 1 &&
        a.charCodeAt(row - 1) === b.charCodeAt(column - 2) &&
        a.charCodeAt(row - 2) === b.charCodeAt(column - 1);
      if (swapped) cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
      current[column] = cost;
      if (cost < least) least = cost;
    }
    if (least > limit) return limit + 1;
    [before, previous, current] = [previous, current, before];
  }
  return previous[b.length] ?? limit + 1;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
