// Ordinary expressions of a program on values of placeholders. `languages/typescript/computed` puts these functions around their operands.

import { createAnswers } from './answers.js';
import { createDates } from './dates.js';
import { createSeen } from './seen.js';
import { caught, handler, looped, withMethod } from './words.js';

/** @typedef {import('./answers.js').Compute} Compute */

/** Methods of a text that holds placeholders, which do the same for each of its parts. */
const DISTRIBUTED = new Set('toLowerCase toUpperCase includes'.split(' '));
/** The result of `match` for a value that does not match. */
const NO_MATCH = Symbol('no match');
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
    seen: createSeen(askNow),
    method: withMethod,
    looped,
    caught,
    handler,
    /** A text whose member the program reads. `words` is the expression of a called method. */
    on(
      /** @type {any} */ value,
      /** @type {string} */ place,
      /** @type {string} */ member,
      /** @type {string | undefined} */ words = undefined,
    ) {
      const called = withMethod(value, member, words);
      if (called !== value) return called;
      if (typeof value === 'string') {
        if (!typeOf(value)) return DISTRIBUTED.has(member) ? distributed(value, member, place, answers) : value;
        return memberOf(value, member, compute(value, place), (other, locales, settings) =>
          difference(value, other, place, locales, settings),
        );
      }
      if (value instanceof RegExp && member === 'test') return patternOf(value, typeOf, compute, place);
      if (value instanceof Map || value instanceof Set) return lookUps(value, answers, place);
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
    /** `value.indexOf(text) >= 0` */
    has(/** @type {any} */ value, /** @type {any} */ text, /** @type {string} */ place) {
      return typeof value === 'string' ? this.on(value, place, 'includes').includes(text) : value.indexOf(text) >= 0;
    },
    /** The rest of a chain after `?.`. */
    chain: (/** @type {any} */ value, /** @type {(value: any) => unknown} */ rest) =>
      value === null || value === undefined ? undefined : rest(value),
    ...createDates(answers),
    /** `hash.update(value).digest('hex')` */
    hash(/** @type {any} */ made, /** @type {any} */ value, /** @type {string} */ name, /** @type {string} */ place) {
      return (typeOf(value) && compute(value, place)('hash', name)) || made.update(value).digest('hex');
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

/**
 * Returns the look-ups of a map or set: a computed text finds the placeholder of the same text, and the other way around.
 * @param {any} values
 * @param {import('./answers.js').Answers} answers
 * @param {string} place
 */
function lookUps(values, { typeOf, isMade, hasMade, compute }, place) {
  const original = (/** @type {any} */ text) =>
    isMade(text) && typeOf(text) ? compute(text, place)('original') : null;
  const keyOf = (/** @type {any} */ key) => {
    if (!hasMade() || values.has(key) || !typeOf(key)) return key;
    const other = original(key);
    if (other !== null && values.has(other)) return other;
    for (const each of values.keys()) if (original(each) === key) return each;
    return key;
  };
  return {
    has: (/** @type {any} */ key) => values.has(keyOf(key)),
    get: (/** @type {any} */ key) => values.get(keyOf(key)),
  };
}

/**
 * Returns an object with a method in place of a text such as `[NAME_1] <[EMAIL_1]>`. It does the same for each part.
 * @param {string} text
 * @param {string} member
 * @param {string} place
 * @param {import('./answers.js').Answers} answers
 */
function distributed(text, member, place, { typeOf, compute }) {
  const parts = text.includes('[') ? text.split(/(\[[A-Z][A-Z0-9_]*_\d+\])/) : [];
  if (!parts.some(typeOf)) return text;
  const ofPart = (/** @type {any} */ part, /** @type {any[]} */ given) =>
    (typeOf(part) && answerOf(member, given, compute(part, place), () => undefined)) ?? part[member](...given);
  return {
    [member]: (/** @type {any[]} */ ...given) => {
      const results = parts.map((part) => ofPart(part, given));
      return member === 'includes' ? results.includes(true) : results.join('');
    },
  };
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
  if (member === '0') return { 0: partOf([0, 1], 'slice', compute) ?? text[0] };
  const native = /** @type {any} */ (text);
  return {
    [member]: (/** @type {any[]} */ ...given) => {
      const answer =
        member === 'match' && given.length === 1
          ? matchOf(text, given[0], compute)
          : answerOf(member, given, compute, difference);
      return answer === NO_MATCH ? null : (answer ?? native[member](...given));
    },
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
          : typeof source === 'string' && source.length === 1 && source === separator
            ? compute('pieces', source)
            : null;
  return Array.isArray(words) ? [...words] : null;
}

/** Returns a part of a value by its positions: a fact about it, or a placeholder. @param {any[]} range @param {string} method @param {Compute} compute */
function partOf(range, method, compute) {
  const [from, to = null] = positionsOf(range, method) ?? [];
  if (from === undefined) return null;
  if (from === -4 && to === null) return compute('fact', 'last4', 4) ?? compute('part', from, to);
  const start =
    from !== 0
      ? null
      : to === 1
        ? compute('letter')
        : to === 4
          ? compute('fact', 'year', 4)
          : to === 2
            ? compute('fact', 'country', 2)
            : null;
  return start ?? compute('part', from, to);
}

/** Returns the positions of `slice` that a method reads; undefined for arguments that are no usual ones. @param {any[]} range @param {string} method */
function positionsOf(range, method) {
  const [from, to] = range;
  if (!range.every(Number.isInteger) || range.length === 0 || range.length > 2) return undefined;
  if (method === 'slice') return [from, to];
  if (method === 'at') return from === -1 ? [from] : [from, from + 1];
  if (from < 0 || to < 0) return undefined;
  if (method === 'charAt') return [from, from + 1];
  if (method === 'substr') return [from, to === undefined ? to : from + to];
  return to < from ? undefined : [from, to];
}

/** Returns what `match` returns for a value. @param {string} text @param {any} pattern @param {Compute} compute */
function matchOf(text, pattern, compute) {
  if (!(pattern instanceof RegExp)) return null;
  if (pattern.global) {
    // Only the joined matches are known.
    const list = text.match(pattern) ?? [];
    const join = (/** @type {unknown} */ separator = ',') =>
      compute('joined', pattern.source, pattern.flags, separator) ?? Array.prototype.join.call(list, String(separator));
    return Object.assign(list, { join });
  }
  const isMatch = /^[iu]*$/.test(pattern.flags)
    ? compute('match', { pattern: pattern.source, ignoreCase: pattern.ignoreCase })
    : null;
  if (typeof isMatch !== 'boolean') return null;
  if (!isMatch) return NO_MATCH;
  const count = new RegExp(`${pattern.source}|`).exec('')?.length ?? 0;
  const groups = /** @type {any[]} */ (Array.from({ length: count }));
  for (const index of groups.keys()) {
    const get = () => compute('group', index, pattern.source, pattern.flags) ?? undefined;
    Object.defineProperty(groups, index, { get, enumerable: true });
  }
  return groups;
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
  if (typeof pattern !== 'string' || pattern === '') return null;
  return compute('text', 'replace', pattern.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'), isAll ? 'g' : '', by);
}
