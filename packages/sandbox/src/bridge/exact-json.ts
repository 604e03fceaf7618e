import { randomUUID } from 'node:crypto';

/** Only text with as many digits in a row can have a whole number beyond ±(2⁵³-1). */
const MANY_DIGITS = /\d{16}/;
/** A whole number that may be beyond ±(2⁵³-1): a value of JSON, or a part of a string. */
const LONG_INTEGER = /(?<![^[:,\s])-?[1-9]\d{15,}(?![^\s,\]}])/g;
/** Maximum digits of a number: CPython reads and writes no longer one. */
const MAX_DIGITS = 4_300;
/** Starts the text that stands for a number while JSON is read or written. Nobody else can know it. */
const MARK = `number ${randomUUID()} `;
const MARKED = new RegExp(`"${MARK}(-?\\d[^"]*)"`, 'g');

/**
 * Parses JSON. A whole number beyond ±(2⁵³-1) becomes a `bigint`, because a number would be another one. Numbers with a fraction or an
 * exponent are read as `JSON.parse` reads them. Raises a `SyntaxError` for text that is not JSON, and a `RangeError` for a number with
 * more than 4,300 digits.
 */
export function parseExact(text: string): unknown {
  if (!MANY_DIGITS.test(text)) return JSON.parse(text);
  const marked = replaceLarge(text, (digits) => `"${MARK}${requireDigits(digits)}"`);
  const value: unknown = JSON.parse(marked);
  return marked === text ? value : unmarkIntegers(value);
}

/** Parses JSON for readers without exact numbers: a whole number beyond ±(2⁵³-1) becomes the text of its digits. */
export function parseWithDigits(text: string): unknown {
  return JSON.parse(withQuotedIntegers(text));
}

/** Returns JSON text in which each whole number beyond ±(2⁵³-1) is the text of its digits. */
export function withQuotedIntegers(text: string): string {
  return MANY_DIGITS.test(text) ? replaceLarge(text, (digits) => `"${digits}"`) : text;
}

/**
 * Returns JSON text like `JSON.stringify`. A `bigint` becomes a number with all digits. A `number` beyond ±(2⁵³-1) gets an exponent:
 * its digits are not exact, and {@link parseExact} reads it as a `number` again.
 */
export function exactText(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return withoutMarks(JSON.stringify(value, marked));
  }
  if (text === undefined) return text as never;
  return MANY_DIGITS.test(text) && holds(value, isInexact) ? withoutMarks(JSON.stringify(value, marked)) : text;
}

/** Returns whether JSON text may have a whole number beyond ±(2⁵³-1), or its digits as text. */
export function hasManyDigits(text: string): boolean {
  return MANY_DIGITS.test(text);
}

/** Returns data in which each `bigint` is the text of its digits. Data without one stay the same object. */
export function withDigits(value: unknown): unknown {
  return holdsInteger(value) ? parseWithDigits(exactText(value)) : value;
}

/** Returns whether data contain a `bigint`. */
export function holdsInteger(value: unknown): boolean {
  return holds(value, (part) => typeof part === 'bigint');
}

/** Returns JSON text for a reader that parses it by `JSON.parse`, and then passes the value to {@link unmarkIntegers}. */
export function markIntegers(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // The usual value has no bigint, and a replacer takes ten times as long.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, marked);
  }
}

/** Returns the number of each mark in the text of {@link markIntegers}: JSON text for anyone. */
export function withoutMarks(text: string): string {
  return text.replace(MARKED, '$1');
}

/** Puts the numbers in place of the marks of {@link markIntegers}, in the same object. */
export function unmarkIntegers(value: unknown): unknown {
  const root = { value };
  // Without recursion: JSON may be deeper than the stack.
  const open: object[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const key of Object.keys(next)) {
      const child: unknown = Reflect.get(next, key);
      if (typeof child === 'object' && child !== null) open.push(child);
      else if (typeof child === 'string' && child.startsWith(MARK)) {
        const number = numberOf(child.slice(MARK.length));
        Object.defineProperty(next, key, { value: number, enumerable: true, configurable: true, writable: true });
      }
    }
  }
  return root.value;
}

function marked(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${MARK}${value}`;
  return isInexact(value) ? `${MARK}${value.toExponential()}` : value;
}

function numberOf(text: string): number | bigint {
  return text.includes('e') ? Number(text) : BigInt(text);
}

/** Returns whether a value is a number that JSON would write with digits that are not exact. */
function isInexact(value: unknown): value is number {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

function holds(value: unknown, isWanted: (part: unknown) => boolean): boolean {
  if (isWanted(value)) return true;
  const open = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    for (const child of Object.values(next)) {
      if (isWanted(child)) return true;
      if (typeof child === 'object') open.push(child);
    }
  }
  return false;
}

function requireDigits(digits: string): string {
  if (digits.length <= MAX_DIGITS) return digits;
  throw new RangeError(`A whole number has ${digits.length} digits; the limit is ${MAX_DIGITS}. Send it as text.`);
}

/** Replaces each whole number beyond ±(2⁵³-1) in JSON text. Text without one stays the same. */
function replaceLarge(text: string, replace: (digits: string) => string): string {
  const parts: string[] = [];
  let copied = 0;
  let quote = -1;
  let end = 0;
  LONG_INTEGER.lastIndex = 0;
  for (let found = LONG_INTEGER.exec(text); found !== null; found = LONG_INTEGER.exec(text)) {
    const [digits] = found;
    const { index } = found;
    // The strings up to here, of which the last one may contain the digits.
    while (quote < index && end <= index) {
      quote = text.indexOf('"', end);
      if (quote < 0) quote = text.length;
      else if (quote < index) end = endOfString(text, quote) + 1;
    }
    if (end > index) LONG_INTEGER.lastIndex = end;
    else if (!Number.isSafeInteger(Number(digits))) {
      parts.push(text.slice(copied, index), replace(digits));
      copied = index + digits.length;
    }
  }
  return copied === 0 ? text : `${parts.join('')}${text.slice(copied)}`;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** Characters that are compared one by one: for a short string, that is faster than a search. */
const NEAR_CHARACTERS = 40;

/** Returns the offset of the quote that ends the string which begins at an offset, or the length of the text. */
export function endOfString(text: string, start: number): number {
  const near = Math.min(text.length, start + NEAR_CHARACTERS);
  for (let index = start + 1; index < near; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) return index;
    if (code === BACKSLASH) break;
  }
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
