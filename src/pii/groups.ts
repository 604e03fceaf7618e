import { isDigit } from './boundaries.ts';

/** More groups than any number has that we look for. */
export const MAX_GROUPS = 12;
/** More digits than any number has that we look for. */
const MAX_DIGITS = 20;
const MAX_SEPARATOR_CHARS = 3;

/** Groups of digits that stand near each other, as numbers are written: "+44 20 7946 0958". */
export interface Groups {
  count: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** A place to read groups into; reused, for there are many. */
export function createGroups(): Groups {
  return { count: 0, starts: new Int32Array(MAX_GROUPS + 1), ends: new Int32Array(MAX_GROUPS + 1) };
}

/** Reads the groups that begin at a digit, with at most three of ` .-()/` between two. */
export function readGroups(text: string, start: number, groups: Groups): void {
  let at = start;
  let digits = 0;
  groups.count = 0;
  while (groups.count < MAX_GROUPS) {
    const from = at;
    while (isDigit(text.charCodeAt(at)) && digits <= MAX_DIGITS) {
      at++;
      digits++;
    }
    groups.starts[groups.count] = from;
    groups.ends[groups.count++] = at;
    if (digits > MAX_DIGITS) return;
    const limit = at + MAX_SEPARATOR_CHARS;
    while (at < limit && isSeparator(text.charCodeAt(at))) at++;
    if (at === groups.ends[groups.count - 1] || !isDigit(text.charCodeAt(at))) return;
  }
}

/** The digits of the first groups. */
export function digitsOf(text: string, groups: Groups, count: number): string {
  let digits = '';
  for (let index = 0; index < count; index++) digits += text.slice(groups.starts[index], groups.ends[index]);
  return digits;
}

/** How many digits a group has. */
export function sizeOf(groups: Groups, index: number): number {
  return (groups.ends[index] ?? 0) - (groups.starts[index] ?? 0);
}

/** The lengths of the first groups, as in `4-4-4-4`. */
export function shapeOf(groups: Groups, count: number): string {
  let shape = '';
  for (let index = 0; index < count; index++) shape += (index ? '-' : '') + sizeOf(groups, index);
  return shape;
}

/** What stands between a group and the next one. */
export function separator(text: string, groups: Groups, index: number): string {
  return text.slice(groups.ends[index], groups.starts[index + 1]);
}

/** Whether only the given separators stand between the first groups. */
export function separatedBy(text: string, groups: Groups, count: number, allowed: RegExp): boolean {
  for (let index = 0; index + 1 < count; index++) {
    if (!allowed.test(separator(text, groups, index))) return false;
  }
  return true;
}

function isSeparator(code: number): boolean {
  return code === 32 || code === 45 || code === 46 || code === 40 || code === 41 || code === 47;
}
