import { isObject } from '../../config/problems.ts';

/** The tests of JSON Schema's types, by name. */
export const JSON_TYPES: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['string', (value: unknown) => typeof value === 'string'],
  ['number', (value: unknown) => typeof value === 'number'],
  ['integer', Number.isInteger],
  ['boolean', (value: unknown) => typeof value === 'boolean'],
  ['null', (value: unknown) => value === null],
  ['array', Array.isArray],
  ['object', isObject],
]);

/** Returns whether two JSON values are equal, as JSON Schema compares them: `-0` is `0`, and keys have no order. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSameJson(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name], b[name]))
  );
}

/** Returns the cost of reading a value: the characters of a text, else 1. */
export function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length + 1 : 1;
}
