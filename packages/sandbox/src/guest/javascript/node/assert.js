// `node:assert` for engines that lack it.
import { inspect } from 'node:util';
import { isDeepEqual } from './parts/deep-equal.js';

/** The error of a failed assertion. */
export class AssertionError extends Error {
  /** @param {{ message?: string, actual?: unknown, expected?: unknown, operator?: string }} options */
  constructor({ message, actual, expected, operator }) {
    super(message ?? `${inspect(actual)} ${operator} ${inspect(expected)}`);
    this.name = 'AssertionError';
    this.code = 'ERR_ASSERTION';
    this.generatedMessage = message === undefined;
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
  }
}

/**
 * @param {boolean} holds
 * @param {unknown} message of the program, or an error to throw
 * @param {{ text: string, actual?: unknown, expected?: unknown, operator: string }} failure
 */
function check(holds, message, { text, actual, expected, operator }) {
  if (holds) return;
  if (message instanceof Error) throw message;
  const error = new AssertionError({ message: String(message ?? text), actual, expected, operator });
  error.generatedMessage = message === undefined;
  throw error;
}

/** @param {string} operator @param {string} words @param {(a: any, b: any) => boolean} holds */
function comparison(operator, words, holds) {
  return (/** @type {unknown} */ actual, /** @type {unknown} */ expected, /** @type {unknown} */ message) => {
    const text = `${words}:\n\n${inspect(actual)} ${operator === 'strictEqual' ? '!==' : 'and'} ${inspect(expected)}\n`;
    check(holds(actual, expected), message, { text, actual, expected, operator });
  };
}

/** @param {unknown} value @param {unknown} [message] */
export function ok(value, message) {
  const text = 'The expression evaluated to a falsy value';
  check(Boolean(value), message, { text, actual: value, expected: true, operator: '==' });
}

/** @param {unknown} [message] */
export function fail(message = 'Failed') {
  check(false, message, { text: 'Failed', operator: 'fail' });
}

/** @param {unknown} value */
export function ifError(value) {
  const text = `ifError got unwanted exception: ${value instanceof Error ? value.message : inspect(value)}`;
  check(value === null || value === undefined, undefined, { text, actual: value, expected: null, operator: 'ifError' });
}

/** @param {any} error @param {any} expected */
function hasExpectedForm(error, expected) {
  if (expected === undefined) return true;
  if (expected instanceof RegExp) return expected.test(String(error));
  if (typeof expected === 'function') {
    if (expected.prototype !== undefined && error instanceof expected) return true;
    if (Object.prototype.isPrototypeOf.call(Error, expected)) return false;
    return expected.call({}, error) === true;
  }
  const keys = Object.keys(expected).concat(expected instanceof Error ? ['name', 'message'] : []);
  return keys.every((key) =>
    expected[key] instanceof RegExp && typeof error?.[key] === 'string'
      ? expected[key].test(error[key])
      : isDeepEqual(error?.[key], expected[key], true),
  );
}

/** @param {{ error: unknown } | undefined} thrown @param {any} expected @param {unknown} message @param {string} operator */
function checkThrown(thrown, expected, message, operator) {
  const isText = typeof expected === 'string';
  const words = operator === 'rejects' ? 'Missing expected rejection' : 'Missing expected exception';
  const own = isText ? expected : message;
  check(thrown !== undefined, own === undefined ? undefined : `${words}: ${own}`, { text: `${words}.`, operator });
  if (isText || !thrown) return;
  const text = `The error is expected to match ${inspect(expected)}. Received:\n\n${inspect(thrown.error)}`;
  const holds = hasExpectedForm(thrown.error, expected);
  check(holds, message, { text, actual: thrown.error, expected, operator });
}

/** @param {() => unknown} work */
function thrownBy(work) {
  if (typeof work !== 'function')
    throw Object.assign(new TypeError('The "fn" argument must be of type function.'), { code: 'ERR_INVALID_ARG_TYPE' });
  try {
    work();
  } catch (error) {
    return { error };
  }
  return undefined;
}

/** @param {any} work a promise, or a function that returns one */
async function rejectionOf(work) {
  const promise = typeof work === 'function' ? work() : work;
  try {
    await promise;
  } catch (error) {
    return { error };
  }
  return undefined;
}

/** @param {() => unknown} work @param {any} [expected] @param {unknown} [message] */
export function throws(work, expected, message) {
  checkThrown(thrownBy(work), expected, message, 'throws');
}
/** @param {any} work @param {any} [expected] @param {unknown} [message] */
export async function rejects(work, expected, message) {
  checkThrown(await rejectionOf(work), expected, message, 'rejects');
}
/** @param {() => unknown} work @param {unknown} [message] */
export function doesNotThrow(work, message) {
  const thrown = thrownBy(work);
  check(!thrown, message, { text: 'Got unwanted exception.', actual: thrown?.error, operator: 'doesNotThrow' });
}
/** @param {any} work @param {unknown} [message] */
export async function doesNotReject(work, message) {
  const thrown = await rejectionOf(work);
  check(!thrown, message, { text: 'Got unwanted rejection.', actual: thrown?.error, operator: 'doesNotReject' });
}

/** @param {unknown} text @param {RegExp} pattern @param {unknown} [message] */
export function match(text, pattern, message) {
  const words = `The input did not match the regular expression ${inspect(pattern)}. Input:\n\n${inspect(text)}\n`;
  const holds = typeof text === 'string' && pattern.test(text);
  check(holds, message, { text: words, actual: text, expected: pattern, operator: 'match' });
}
/** @param {unknown} text @param {RegExp} pattern @param {unknown} [message] */
export function doesNotMatch(text, pattern, message) {
  const words = `The input was expected to not match the regular expression ${inspect(pattern)}. Input:\n\n${inspect(text)}\n`;
  const holds = typeof text !== 'string' || !pattern.test(text);
  check(holds, message, { text: words, actual: text, expected: pattern, operator: 'doesNotMatch' });
}

const isEqual = (/** @type {any} */ a, /** @type {any} */ b) =>
  // biome-ignore lint/suspicious/noDoubleEquals: the function compares so
  a == b || (Number.isNaN(a) && Number.isNaN(b));
const loose = (/** @type {any} */ a, /** @type {any} */ b) => isDeepEqual(a, b, false);
const exact = (/** @type {any} */ a, /** @type {any} */ b) => isDeepEqual(a, b, true);
const not = (/** @type {(a: any, b: any) => boolean} */ holds) => (/** @type {any} */ a, /** @type {any} */ b) =>
  !holds(a, b);
export const equal = comparison('==', 'Expected values to be equal', isEqual);
export const notEqual = comparison('!=', 'Expected values to be unequal', not(isEqual));
export const deepEqual = comparison('deepEqual', 'Expected values to be loosely deep-equal', loose);
export const notDeepEqual = comparison('notDeepEqual', 'Expected values not to be loosely deep-equal', not(loose));
export const strictEqual = comparison('strictEqual', 'Expected values to be strictly equal', Object.is);
export const notStrictEqual = comparison('notStrictEqual', 'Expected values not to be equal', not(Object.is));
export const deepStrictEqual = comparison('deepStrictEqual', 'Expected values to be strictly deep-equal', exact);
export const notDeepStrictEqual = comparison('notDeepStrictEqual', 'Expected values not to be equal', not(exact));

const both = {
  ...{ AssertionError, ok, fail, ifError, throws, rejects, doesNotThrow, doesNotReject, match, doesNotMatch },
  ...{ strictEqual, notStrictEqual, deepStrictEqual, notDeepStrictEqual },
};
export const strict = Object.assign(
  (/** @type {unknown} */ value, /** @type {unknown} */ message) => ok(value, message),
  {
    ...{ ...both, equal: strictEqual, notEqual: notStrictEqual },
    ...{ deepEqual: deepStrictEqual, notDeepEqual: notDeepStrictEqual },
  },
);
Object.assign(strict, { strict });
export default Object.assign(
  (/** @type {unknown} */ value, /** @type {unknown} */ message) => ok(value, message),
  both,
  { equal, notEqual, deepEqual, notDeepEqual, strict },
);
