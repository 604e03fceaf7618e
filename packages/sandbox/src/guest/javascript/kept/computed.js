// Ordinary expressions of a program on values of placeholders. `languages/typescript/computed` puts these functions around their operands.

import { createAnswers } from './answers.js';

/** @typedef {import('./answers.js').Compute} Compute */

/** Methods that keep the whole value. */
const WHOLE = new Set('toLowerCase toUpperCase trim trimStart trimEnd normalize padStart padEnd'.split(' '));
const WORD_CHARACTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_';
const SEARCHES = new Set('startsWith endsWith includes'.split(' '));

/**
 * Creates the functions that rewritten programs call. Each does what the expression does for an ordinary operand.
 * @param {import('./answers.js').AskNow} askNow
 */
export function createComputed(askNow) {
  const answers = createAnswers(askNow);
  const { typeOf, isMade, compute, equal, difference } = answers;
  const byCharacters = (/** @type {unknown} */ left, /** @type {unknown} */ right) => {
    const [a, b] = [String(left), String(right)];
    return difference(a, b, '.sort', 'characters') ?? (a < b ? -1 : a > b ? 1 : 0);
  };

  return Object.freeze({
    equal,
    /** A text whose member the program reads. */
    on(/** @type {any} */ value, /** @type {string} */ place, /** @type {string} */ member) {
      if (typeof value === 'string') {
        if (!typeOf(value)) return value;
        return memberOf(value, member, compute(value, place), (other, locales, settings) =>
          difference(value, other, place, locales, settings),
        );
      }
      if (value instanceof RegExp && member === 'test') return patternOf(value, typeOf, compute, place);
      if (!Array.isArray(value)) return value;
      if ((member === 'sort' || member === 'toSorted') && value.some(typeOf))
        return { [member]: (/** @type {any} */ by = byCharacters) => /** @type {any} */ (value)[member](by) };
      if ((member === 'includes' || member === 'indexOf') && value.some((each) => isMade(each)))
        return {
          includes: (/** @type {unknown} */ wanted) => value.some((each) => equal(each, wanted, place)),
          indexOf: (/** @type {unknown} */ wanted) => value.findIndex((each) => equal(each, wanted, place)),
        };
      return value;
    },
    ordered(
      /** @type {any} */ left,
      /** @type {string} */ operator,
      /** @type {any} */ right,
      /** @type {string} */ place,
    ) {
      const order =
        difference(left, right, place, 'characters') ?? yearDifference(left, right, operator, place, answers);
      const [a, b] = order === undefined ? [left, right] : [order, 0];
      if (operator === '<') return a < b;
      if (operator === '>') return a > b;
      return operator === '<=' ? a <= b : a >= b;
    },
    /** The rest of a chain after `?.`. */
    chain: (/** @type {any} */ value, /** @type {(value: any) => unknown} */ rest) =>
      value === null || value === undefined ? undefined : rest(value),
    /** `new Date(value).getFullYear()` */
    year(
      /** @type {any} */ value,
      /** @type {'getFullYear' | 'getUTCFullYear'} */ method,
      /** @type {string} */ place,
    ) {
      const year = typeOf(value) === 'DATE_OF_BIRTH' ? compute(value, place)('fact', 'year', 4) : null;
      return year === null ? new Date(value)[method]() : Number(year);
    },
    /** `new Date(left) - new Date(right)`, of which only the sign counts. */
    dates(/** @type {any} */ left, /** @type {any} */ right, /** @type {string} */ place) {
      const isBoth = typeOf(left) === 'DATE_OF_BIRTH' && typeOf(right) === 'DATE_OF_BIRTH';
      const order = isBoth ? difference(left, right, place, 'dates') : undefined;
      return order ?? Number(new Date(left)) - Number(new Date(right));
    },
    /** The part after the at sign, `value.slice(value.indexOf('@') + 1)`. */
    domain(
      /** @type {any} */ value,
      /** @type {'indexOf' | 'lastIndexOf'} */ search,
      /** @type {'slice'} */ method,
      /** @type {string} */ place,
    ) {
      const parts = typeOf(value) === 'EMAIL' ? compute(value, place)('address') : null;
      return Array.isArray(parts) ? parts[1] : value[method](value[search]('@') + 1);
    },
  });
}

/**
 * Returns how a date of birth differs from a written date, if the year decides it.
 * @param {unknown} left
 * @param {unknown} right
 * @param {string} operator
 * @param {string} place
 * @param {import('./answers.js').Answers} answers
 */
function yearDifference(left, right, operator, place, { typeOf, compute }) {
  const isLeft = typeOf(left) === 'DATE_OF_BIRTH';
  const [date, other] = isLeft ? [left, right] : [right, left];
  const [, written, day] = /^(\d{4})(-\d\d-\d\d)?$/.exec(String(other)) ?? [];
  if (typeof date !== 'string' || typeOf(date) !== 'DATE_OF_BIRTH' || typeof other !== 'string' || !written)
    return undefined;
  const year = compute(date, place)('fact', 'year', 4);
  if (typeof year !== 'string') return undefined;
  const isSame = year === written;
  // In one year, each date comes after the year itself, and none before its first day.
  if (isSame && !(day === undefined || (day === '-01-01' && (isLeft ? ['<', '>='] : ['>', '<=']).includes(operator))))
    return undefined;
  const later = isSame || year > written ? 1 : -1;
  return isLeft ? later : -later;
}

/** @param {RegExp} pattern @param {(value: unknown) => string | undefined} typeOf @param {(text: string, place: string) => Compute} compute @param {string} place */
function patternOf(pattern, typeOf, compute, place) {
  return {
    test(/** @type {any} */ text) {
      const condition = { pattern: pattern.source, ignoreCase: pattern.ignoreCase };
      const answer = /^[iu]*$/.test(pattern.flags) && typeOf(text) ? compute(text, place)('match', condition) : null;
      return typeof answer === 'boolean' ? answer : pattern.test(text);
    },
  };
}

/**
 * Returns an object with one member in place of a text that is a placeholder. The member does on the host what that of the value would do.
 * @param {string} text
 * @param {string} member
 * @param {Compute} compute
 * @param {(other: unknown, locales: unknown, settings: unknown) => number | undefined} difference
 */
function memberOf(text, member, compute, difference) {
  if (member === 'length') return { length: compute('fact', 'length') ?? text.length };
  if (member === '0') return { 0: compute('letter') ?? text[0] };
  const native = /** @type {any} */ (text);
  return {
    [member]: (/** @type {any[]} */ ...given) =>
      answerOf(member, given, compute, difference) ?? native[member](...given),
  };
}

/**
 * Returns what a method of a value returns; a nullish value if the host does not compute it.
 * @param {string} member
 * @param {any[]} given
 * @param {Compute} compute
 * @param {(other: unknown, locales: unknown, settings: unknown) => number | undefined} difference
 */
function answerOf(member, given, compute, difference) {
  if (WHOLE.has(member)) return compute('text', member, ...given);
  if (SEARCHES.has(member)) return found(member, given, compute);
  const [first, second] = given;
  switch (member) {
    case 'toLocaleLowerCase':
    case 'toLocaleUpperCase':
      return given.length === 0 ? compute('text', member.replace('Locale', '')) : null;
    case 'charAt':
    case 'at':
      return first === 0 ? compute('letter') : null;
    case 'split':
      return given.length === 1 ? wordsOf(first, compute) : null;
    case 'replace':
    case 'replaceAll':
      return replaced(first, second, member === 'replaceAll', compute);
    case 'localeCompare':
      return difference(first, second, given[2]);
    default:
      return partOf(given, member, compute);
  }
}

/** @param {string} member @param {any[]} given @param {Compute} compute */
function found(member, given, compute) {
  const [wanted] = given;
  const isPlain = given.length === 1 && typeof wanted === 'string' && wanted !== '' && !/\[[A-Z]/.test(wanted);
  return isPlain ? compute('match', { [member]: wanted }) : null;
}

/** @param {unknown} separator @param {Compute} compute */
function wordsOf(separator, compute) {
  const source = separator instanceof RegExp ? separator.source : separator;
  const words =
    source === '@'
      ? compute('address')
      : source === ' '
        ? compute('words', 'blank')
        : source === '\\s+'
          ? compute('words', 'blanks')
          : null;
  return Array.isArray(words) ? [...words] : null;
}

/** Returns a part of a value that is a fact about it. @param {any[]} range @param {string} method @param {Compute} compute */
function partOf(range, method, compute) {
  const [from, to] = range;
  if (method === 'slice' && from === -4 && to === undefined) return compute('fact', 'last4', 4);
  if (from !== 0) return null;
  if (to === 1) return compute('letter');
  return to === 4 ? compute('fact', 'year', 4) : to === 2 ? compute('fact', 'country', 2) : null;
}

/** @param {any} pattern @param {any} by @param {boolean} isAll @param {Compute} compute */
function replaced(pattern, by, isAll, compute) {
  if (pattern instanceof RegExp) {
    if (pattern.source === '\\b\\w' && pattern.flags === 'g' && typeof by === 'function') {
      const isUpper = [...WORD_CHARACTERS].every((letter) => by(letter) === letter.toUpperCase());
      return isUpper ? compute('text', 'title') : null;
    }
    return compute('text', 'replace', pattern.source, pattern.flags, by);
  }
  const isSeparator = typeof pattern === 'string' && /^[ .,_()/+-]$/.test(pattern);
  return isSeparator ? compute('text', 'replace', pattern.replace(/[.()/+-]/, '\\$&'), isAll ? 'g' : '', by) : null;
}
