// Whole numbers beyond 2^53 in JSON. JavaScript has them as BigInt, and as the text of their digits.

const { parse, stringify } = JSON;
/** Only text with as many digits in a row can have such a number. */
const MANY_DIGITS = /[0-9]{16}/;
/** Such a number as a value of JSON, or as a part of a string. */
const LONG_INTEGER = /(?<![^[:,\s])-?[1-9][0-9]{15,}(?![^\s,\]}])/g;
/** Maximum digits of a number: Python reads and writes no longer one. */
const MAX_DIGITS = 4300;

/**
 * Returns JSON text like `JSON.stringify`. A BigInt becomes a number with all digits. A number beyond ±(2^53-1) gets an exponent, which
 * marks it as inexact.
 * @param {unknown} value
 * @param {(key: string, value: unknown) => unknown} plain converts a value before it is written
 * @returns {string | undefined}
 */
export function jsonText(value, plain = (_key, part) => part) {
  let isSpecial = false;
  const usual = stringify(value, (key, part) => {
    const converted = plain(key, part);
    if (exactForm(converted) === undefined) return converted;
    isSpecial = true;
    return 0;
  });
  if (!isSpecial) return usual;
  let mark = 'number ';
  while (usual.includes(mark)) mark += ' ';
  const marked = stringify(value, (key, part) => {
    const converted = plain(key, part);
    const form = exactForm(converted);
    return form === undefined ? converted : mark + form;
  });
  return marked.replace(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1');
}

/** @param {unknown} value */
function exactForm(value) {
  if (typeof value === 'number') {
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : undefined;
  }
  if (typeof value !== 'bigint') return undefined;
  const digits = String(value);
  if (digits.length <= MAX_DIGITS) return digits;
  throw new TypeError(`A BigInt has ${digits.length} digits; the limit is ${MAX_DIGITS}. Send it as text.`);
}

/**
 * Parses JSON like `JSON.parse`. A whole number beyond ±(2^53-1) becomes the text of its digits.
 * @param {any} text
 * @param {any} [reviver]
 * @param {() => void} [onDigits] called for text with such a number
 */
export function parseDigits(text, reviver, onDigits) {
  if (typeof text !== 'string' || !MANY_DIGITS.test(text)) return parse(text, reviver);
  const quoted = quoteLarge(text);
  const value = parse(quoted, reviver);
  if (quoted !== text) onDigits?.();
  return value;
}

/** @param {string} text */
function quoteLarge(text) {
  const parts = [];
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
      parts.push(text.slice(copied, index), `"${digits}"`);
      copied = index + digits.length;
    }
  }
  return copied === 0 ? text : parts.join('') + text.slice(copied);
}

/**
 * Returns the offset of the quote that ends a string, or the length of the text.
 * @param {string} text
 * @param {number} start
 */
function endOfString(text, start) {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
