import { isIP } from 'node:net';
import type { Evidence, Span } from '../detector.ts';
import { phoneWordAfter } from '../hints/nearby-words.ts';
import type { Hint } from '../hints/words.ts';
import { closesAt, isDigit, opensAt } from './boundaries.ts';
import { callingCodeLength, maxDigitsOf } from './calling-codes.ts';
import { BETWEEN, digitsOf, type Groups, hasSizes, isFollowedBy, isSeparatedBy, sizeOf } from './digit-groups.ts';

const EXTENSION = /[ ,;-]{0,2}(?:x|ext|extn|extension|poste|durchwahl|dw|anexo|ramal|#)[.:]? ?\d{1,6}(?!\w)/iy;
const MIN_DIGITS = 7;
const MAX_DIGITS = 15;
/** Hints that exclude a phone. */
const DENYING: ReadonlySet<Hint> = new Set<Hint>(['OTHER', 'SSN', 'CREDIT_CARD', 'IBAN', 'NATIONAL_ID', 'PASSPORT']);
/** The digits of an example, "+1234567890". */
const EXAMPLE_DIGITS = '23456789';
const YEAR = /^(?:19|20)\d\d$/;
/** A day and a time in logs: "0701/114930". */
const MONTH_DAY_TIME = /^(?:0\d|1[0-2])(?:[0-2]\d|3[01])\/(?:[01]\d|2[0-3])[0-5]\d[0-5]\d$/;
/** Current Unix times in seconds or milliseconds. */
const EPOCH = /^1[4-9]\d{8}(?:\d{3})?$/;
const TIGHT = BETWEEN.close + BETWEEN.hyphen + BETWEEN.point + BETWEEN.open + BETWEEN.slash + BETWEEN.spacedHyphen;
const EVEN =
  BETWEEN.space +
  BETWEEN.hyphen +
  BETWEEN.spacedHyphen +
  BETWEEN.halfSpacedHyphen +
  BETWEEN.point +
  BETWEEN.slash +
  BETWEEN.spacedSlash;

/** A number that may be a phone. */
interface Candidate {
  readonly text: string;
  readonly groups: Groups;
  /** The start of the number with its `+` and `(`. */
  readonly start: number;
  readonly plus: boolean;
  readonly parenthesis: boolean;
  readonly labelled: boolean;
  /** Set if a word near it indicates another kind of number. */
  readonly denied: boolean;
}

/** The number of groups of the phone, and the evidence. */
interface Verdict {
  readonly count: number;
  readonly evidence: Evidence;
}

/** Returns the phone number that begins with the groups. Set `alone` if the text has no other content. */
export function phoneAt(text: string, groups: Groups, near: () => Hint | undefined, alone: boolean): Span | undefined {
  const first = groups.starts[0] ?? 0;
  let start = first;
  let plus = false;
  let parenthesis = false;
  for (let step = 0; step < 3 && start > 0; step++) {
    const before = text[start - 1];
    if (before === '+' && !plus) plus = true;
    else if (before === '(' && !parenthesis) parenthesis = true;
    else if (!(before === ' ' && text[start - 2] === '+' && !plus)) break;
    start--;
  }
  if (!opensAt(text, start) || (plus && /[+)\w]/.test(text[start - 1] ?? ' '))) return undefined;
  const last = groups.ends[groups.count - 1] ?? 0;
  // Brackets around the whole number do not mark an area code.
  if (parenthesis && !plus && !closes(text, first, last)) parenthesis = false;
  const hint = near();
  const labelled = hint === 'PHONE' || phoneWordAfter(text, last) || (alone && groups.count > 1);
  const denied = hint !== undefined && DENYING.has(hint);
  const verdict = judge({ text, groups, start, plus, parenthesis, labelled, denied });
  if (!verdict) return undefined;
  const end = groups.ends[verdict.count - 1] ?? 0;
  EXTENSION.lastIndex = end;
  const extended = EXTENSION.test(text) ? EXTENSION.lastIndex : end;
  const suffix = text[end] === '-' && !isDigit(text.charCodeAt(end + 1)) && labelled;
  if (extended === end && !suffix && !closesAt(text, end)) return undefined;
  // A bracket around the number is not a part of it.
  const bracket = text[start] === '(' && !text.slice(start, end).includes(')');
  return { start: bracket ? start + 1 : start, end: extended, type: 'PHONE', evidence: verdict.evidence };
}

function closes(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (text.charCodeAt(at) === 41) return true;
  return false;
}

function judge(candidate: Candidate): Verdict | undefined {
  const { text, groups, plus, labelled, denied } = candidate;
  const leading = !denied && startsWith00(text, groups) && (groups.count > 1 || labelled);
  if (plus || leading) {
    const verdict = international(candidate, plus ? 0 : 2);
    if (verdict || plus) return verdict;
  }
  if (denied && !candidate.parenthesis) return undefined;
  return northAmerican(candidate) ?? trunk(candidate) ?? (labelled ? local(candidate) : undefined);
}

/** Checks for `00` alone, in one group with a calling code, or at the beginning of a number without gaps. */
function startsWith00(text: string, groups: Groups): boolean {
  const start = groups.starts[0] ?? 0;
  if (!text.startsWith('00', start)) return false;
  const size = sizeOf(groups, 0);
  if (size === 2 || size > 5) return true;
  return callingCodeLength(text.slice(start + 2, start + size)) === size - 2;
}

/** Checks for an existing calling code and a possible length in its country. */
function international({ text, groups, labelled }: Candidate, prefix: number): Verdict | undefined {
  const digits = digitsOf(text, groups, groups.count).slice(prefix);
  const code = callingCodeLength(digits);
  // A sum: "+ 3864292196".
  if (prefix === 0 && groups.count === 1 && !labelled && text[(groups.starts[0] ?? 0) - 1] === ' ') return undefined;
  if (code === 0) return prefix === 0 ? unknownCountry(groups, labelled) : undefined;
  // A trunk zero after `00` has brackets; Italy's zero is a part of the number.
  if (
    prefix > 0 &&
    digits[code] === '0' &&
    !digits.startsWith('39') &&
    !text.startsWith('(0)', (groups.starts[1] ?? 1) - 1)
  )
    return undefined;
  if (!labelled && digits.includes(EXAMPLE_DIGITS)) return undefined;
  const trunkZero = digits[code] === '0' ? 1 : 0;
  const max = maxDigitsOf(digits.slice(0, code)) + trunkZero + prefix;
  const count = take(groups, max);
  const total = totalOf(groups, count) - prefix;
  // A number with `00` but no other sign is rather a time or a counter if it is short: "001250 4631".
  const least = labelled ? MIN_DIGITS : groups.count > 1 && prefix === 0 ? 8 : 10;
  if (total < least) return undefined;
  if (isDecimal(groups, count)) return undefined;
  return { count, evidence: labelled ? 'shape+context' : 'shape' };
}

/** Checks for a `+` without an existing calling code: in at least three groups, or near a word. */
function unknownCountry(groups: Groups, labelled: boolean): Verdict | undefined {
  const count = take(groups, MAX_DIGITS);
  const total = totalOf(groups, count);
  if (total < 8 || !(labelled || count > 2) || count < groups.count || isDecimal(groups, count)) return undefined;
  return { count, evidence: labelled ? 'shape+context' : 'shape' };
}

/** Checks for (415) 555-2671, 415-555-2671, 1.415.555.2671. With spaces, it needs a word near it. */
function northAmerican({ text, groups, parenthesis, labelled, denied }: Candidate): Verdict | undefined {
  const country = sizeOf(groups, 0) === 1 && text[groups.starts[0] ?? 0] === '1' ? 1 : 0;
  const count = 3 + country;
  if (!hasSizes(groups, country, 3, 3, 4)) return undefined;
  const area = text[groups.starts[country] ?? 0] ?? '0';
  if (area < '2' && !labelled) return undefined;
  const bracketed = parenthesis || isFollowedBy(groups, 0, BETWEEN.open);
  if (denied && !bracketed) return undefined;
  const tight = isFollowedBy(groups, count - 2, TIGHT) && isFollowedBy(groups, country, TIGHT);
  if (!tight && !bracketed && !labelled) return undefined;
  return { count, evidence: labelled ? 'shape+context' : 'shape' };
}

/** Checks for a trunk zero or an area in brackets: 07700 900123, (020) 7946 0958, 01.84.17.61.18. */
function trunk({ text, groups, parenthesis, labelled, denied }: Candidate): Verdict | undefined {
  if (denied) return undefined;
  const size = sizeOf(groups, 0);
  const zero = text[groups.starts[0] ?? 0] === '0' && text[(groups.starts[0] ?? 0) + 1] !== '0';
  const count = take(groups, 12);
  const total = totalOf(groups, count);
  if (count < 2 || size < 2 || size > 5 || count < groups.count) return undefined;
  if (count === 2 && !labelled && MONTH_DAY_TIME.test(text.slice(groups.starts[0], groups.ends[1]))) return undefined;
  if (size === 2 && !labelled && isInDump(text, groups)) return undefined;
  if (parenthesis) {
    if (text[groups.ends[0] ?? 0] !== ')' || YEAR.test(text.slice(groups.starts[0], groups.ends[0]))) return undefined;
    if (total < 8 || (!zero && count < 3) || smallest(groups, count) < 2) return undefined;
  } else if (!zero || total < (count > 2 ? 9 : 10) || total > 11 || smallest(groups, count) < 2) return undefined;
  else if (!isSeparatedBy(groups, count, EVEN) || isDecimal(groups, count)) return undefined;
  return { count, evidence: labelled ? 'shape+context' : 'shape' };
}

/** Checks for hexadecimal bytes before and after. */
function isInDump(text: string, groups: Groups): boolean {
  const start = groups.starts[0] ?? 0;
  const end = groups.ends[groups.count - 1] ?? 0;
  const before = /(?:^|\s)([\da-f]{2}) $/i.exec(text.slice(Math.max(0, start - 4), start))?.[1];
  return before !== undefined && (/\d/.test(before) || /^ [\da-f]{2}(?:\s|$)/i.test(text.slice(end, end + 4)));
}

/** Accepts a number of a plausible length near a word that indicates a phone. */
function local({ text, groups }: Candidate): Verdict | undefined {
  let count = take(groups, MAX_DIGITS);
  while (count > 1 && sizeOf(groups, count - 1) === 1) count--;
  const total = totalOf(groups, count);
  if (total < MIN_DIGITS || isDecimal(groups, count)) return undefined;
  const digits = digitsOf(text, groups, count);
  if (count === 2 && YEAR.test(digits.slice(0, 4)) && YEAR.test(digits.slice(4))) return undefined;
  if (count === 4 && isIP(text.slice(groups.starts[0], groups.ends[3])) > 0) return undefined;
  if (digits.startsWith('000') || (count === 1 && EPOCH.test(digits))) return undefined;
  return { count, evidence: 'shape+context' };
}

/** Returns how many groups fit into a number of digits. */
function take(groups: Groups, max: number): number {
  let total = 0;
  for (let index = 0; index < groups.count; index++) {
    total += sizeOf(groups, index);
    if (total > max) return index;
  }
  return groups.count;
}

function totalOf(groups: Groups, count: number): number {
  let total = 0;
  for (let index = 0; index < count; index++) total += sizeOf(groups, index);
  return total;
}

function smallest(groups: Groups, count: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let index = 0; index < count; index++) least = Math.min(least, sizeOf(groups, index));
  return least;
}

/** Checks for a decimal number: two groups with a point between. */
function isDecimal(groups: Groups, count: number): boolean {
  return count === 2 && isFollowedBy(groups, 0, BETWEEN.point);
}
