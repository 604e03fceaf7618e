import { isObject } from '@toolwright/connectors/internal';

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The tests of JSON Schema's types, by name. */
export const JSON_TYPES: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['string', (value: unknown) => typeof value === 'string'],
  ['number', isNumber],
  ['integer', (value: unknown) => Number.isInteger(value) || typeof value === 'bigint'],
  ['boolean', (value: unknown) => typeof value === 'boolean'],
  ['null', (value: unknown) => value === null],
  ['array', Array.isArray],
  ['object', isObject],
]);

/**
 * Returns whether two JSON values are equal, as JSON Schema compares them: `-0` is `0`, and keys have no order. A rule has a whole number
 * beyond ±(2⁵³-1) as the text of its digits.
 */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a === 'bigint') return String(a) === b;
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

/** Returns whether a text has at least this many code points, which JSON Schema counts. Most are one unit of the text. */
export function hasCharacters(text: string, count: number): boolean {
  if (text.length < count) return false;
  return text.length >= 2 * count || [...text].length >= count;
}

/** Returns a property of an object; undefined without it. */
export function own(value: JsonObject, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Returns true, for lists of any values. */
export function isAnything(_value: unknown): _value is unknown {
  return true;
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
