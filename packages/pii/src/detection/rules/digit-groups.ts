import { isDigit } from './boundaries.ts';
import { isDateAt } from './dates.ts';

/** More groups than any number has that the rules find. */
export const MAX_GROUPS = 8;
/** More digits than any number has that the rules find. */
const MAX_DIGITS = 20;
const MAX_SEPARATOR_CHARS = 3;
const SPACE = 32;
const OPEN = 40;
const CLOSE = 41;
const HYPHEN = 45;
const POINT = 46;
const SLASH = 47;
const UNDERSCORE = 95;

/** Separators between two groups, as bits. Rules allow sums of them. */
export const BETWEEN = {
  space: 1,
  spaces: 2,
  hyphen: 4,
  /** ` - ` */
  spacedHyphen: 8,
  /** `- ` or ` -` */
  halfSpacedHyphen: 16,
  point: 32,
  spacedPoint: 64,
  slash: 128,
  /** ` / ` */
  spacedSlash: 2048,
  underscore: 4096,
  /** With a space or without. */
  open: 256,
  /** `)`, `) ` or `)-` */
  close: 512,
  other: 1024,
} as const;

/** The separator of each single ASCII character. */
const SINGLE = new Int32Array(128).fill(BETWEEN.other);
SINGLE[SPACE] = BETWEEN.space;
SINGLE[HYPHEN] = BETWEEN.hyphen;
SINGLE[POINT] = BETWEEN.point;
SINGLE[SLASH] = BETWEEN.slash;
SINGLE[OPEN] = BETWEEN.open;
SINGLE[UNDERSCORE] = BETWEEN.underscore;

/** Neighbouring groups of digits of one number: "+44 20 7946 0958". */
export interface Groups {
  count: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** One of `BETWEEN` for each group but the last. */
  readonly between: Int32Array;
}

/** Creates a buffer for groups. It is reused for speed. */
export function createGroups(): Groups {
  const numbers = () => new Int32Array(MAX_GROUPS + 1);
  return { count: 0, starts: numbers(), ends: numbers(), between: numbers() };
}

/** Reads the groups from a digit on, with at most three of ` .-()/_` between two. A date is of no number before it. */
export function readGroups(text: string, start: number, groups: Groups): void {
  let at = start;
  let digits = 0;
  groups.count = 0;
  while (groups.count < MAX_GROUPS) {
    const from = at;
    if (groups.count > 0 && isDateAt(text, from)) return;
    while (isDigit(text.charCodeAt(at)) && digits <= MAX_DIGITS) {
      at++;
      digits++;
    }
    groups.starts[groups.count] = from;
    groups.ends[groups.count++] = at;
    if (digits > MAX_DIGITS) return;
    const end = at;
    const limit = end + MAX_SEPARATOR_CHARS;
    while (at < limit && isSeparator(text.charCodeAt(at))) at++;
    if (at === end || !isDigit(text.charCodeAt(at))) return;
    groups.between[groups.count - 1] = kindOf(text, end, at - end);
  }
}

/** Returns the digits of the first groups. */
export function digitsOf(text: string, groups: Groups, count: number): string {
  let digits = '';
  for (let index = 0; index < count; index++) digits += text.slice(groups.starts[index], groups.ends[index]);
  return digits;
}

/** Returns the number of digits of a group. */
export function sizeOf(groups: Groups, index: number): number {
  return (groups.ends[index] ?? 0) - (groups.starts[index] ?? 0);
}

/** Checks the lengths of groups, from the group `first` on. */
export function hasSizes(groups: Groups, first: number, ...sizes: readonly number[]): boolean {
  for (let index = 0; index < sizes.length; index++) if (sizeOf(groups, first + index) !== sizes[index]) return false;
  return groups.count >= first + sizes.length;
}

/** Checks whether an allowed separator, of a sum of `BETWEEN`, follows a group. */
export function isFollowedBy(groups: Groups, index: number, allowed: number): boolean {
  return ((groups.between[index] ?? 0) & allowed) !== 0;
}

/** Checks whether only allowed separators, of a sum of `BETWEEN`, are between the first groups. */
export function isSeparatedBy(groups: Groups, count: number, allowed: number): boolean {
  for (let index = 0; index + 1 < count; index++) if (!isFollowedBy(groups, index, allowed)) return false;
  return true;
}

/** Checks for a full row of one or two digits with equal separators: no number begins in its first half. */
export function isEvenRow(groups: Groups): boolean {
  if (groups.count < MAX_GROUPS) return false;
  for (let index = 0; index < MAX_GROUPS; index++) {
    if (sizeOf(groups, index) > 2) return false;
    if (index < MAX_GROUPS - 1 && groups.between[index] !== groups.between[0]) return false;
  }
  return true;
}

function kindOf(text: string, at: number, length: number): number {
  const first = text.charCodeAt(at);
  const second = length > 1 ? text.charCodeAt(at + 1) : 0;
  const third = length > 2 ? text.charCodeAt(at + 2) : 0;
  if (first === CLOSE && third === 0 && (second === 0 || second === SPACE || second === HYPHEN)) return BETWEEN.close;
  if (length === 1) return SINGLE[first] ?? BETWEEN.other;
  const sign = first === SPACE ? second : first;
  const spaced = third === 0 ? first === SPACE || second === SPACE : first === SPACE && third === SPACE;
  if (!spaced) return BETWEEN.other;
  if (sign === HYPHEN) return third === 0 ? BETWEEN.halfSpacedHyphen : BETWEEN.spacedHyphen;
  if (sign === POINT) return BETWEEN.spacedPoint;
  if (third !== 0) return sign === SLASH ? BETWEEN.spacedSlash : BETWEEN.other;
  if (sign === SPACE) return BETWEEN.spaces;
  return sign === OPEN && second === OPEN ? BETWEEN.open : BETWEEN.other;
}

function isSeparator(code: number): boolean {
  if (code < SPACE || code > SLASH) return code === UNDERSCORE;
  return code === SPACE || code === OPEN || code === CLOSE || (code >= HYPHEN && code <= SLASH);
}
