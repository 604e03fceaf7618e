// The report of a program that an operation depends on a text that may hold a placeholder.

const { isArray } = Array;
const { apply } = Reflect;
const { test } = RegExp.prototype;
/** Texts in which no placeholder fits, also encoded: short ones, words, and numbers and dates. Base64 has a digit or a later capital letter. */
const HOLDS_NONE = /^(?:[^[%&\\=]{0,6}|[A-Z]?[a-z _-]*|[\d\s.,:+TZ/-]*)$/;

/**
 * Creates the function around operands of operations that depend on their texts. The first operand that may hold a placeholder is reported.
 * @param {import('./answers.js').AskNow} askNow
 */
export function createSeen(askNow) {
  let isReported = false;
  const mayHold = (/** @type {string} */ text) => !apply(test, HOLDS_NONE, [text]);
  /** Lists of bytes or characters are a text. */
  const isText = (/** @type {unknown[]} */ list) =>
    typeof list[0] === 'number' || (typeof list[0] === 'string' && list[0].length <= 2);
  const isRead = (/** @type {unknown} */ value, /** @type {string} */ as) => {
    if (typeof value === 'string') return mayHold(value);
    if (typeof value !== 'object' || value === null || as === 'same') return typeof value === 'function';
    return as === 'value' || !isArray(value) || isText(value);
  };
  return (/** @type {unknown} */ value, /** @type {string} */ place, /** @type {string} */ as) => {
    if (!isReported && isRead(value, as)) {
      isReported = true;
      askNow('compute', '', place, 'seen');
    }
    return value;
  };
}
