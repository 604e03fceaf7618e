// Errors of rewritten expressions, in the words of their author.

/**
 * Returns a value whose method a program calls. If it has no such method, the call raises the error of the engine with the expression of the
 * author.
 * @param {any} value
 * @param {string} member
 * @param {string | undefined} words
 */
export function withMethod(value, member, words) {
  if (words === undefined || value === null || value === undefined || typeof value[member] === 'function') return value;
  return { [member]: () => inWords(() => value[member](), 'value[member]', words) };
}

/**
 * Returns a value that a program loops over. Raises the error of the engine with the expression of the author for any other.
 * @param {any} value
 * @param {string} words
 */
export function looped(value, words) {
  if (typeof value?.[Symbol.iterator] === 'function') return value;
  return inWords(
    () => {
      for (const each of value) return each;
      return undefined;
    },
    'value',
    words,
  );
}

/** The names and calls that a rewriting inserts, as an engine prints them. */
const INSERTED = /__toolwright_link|__toolwright_\w+(?:\.\w+(?:\(\.\.\.\))?)?/g;

/**
 * Returns a caught value. An error of an engine about a rewritten expression then has the words of the engine for any expression.
 * @param {any} thrown
 */
export function caught(thrown) {
  if (!(thrown instanceof Error)) return thrown;
  for (const name of ['message', 'stack']) {
    const text = Object.getOwnPropertyDescriptor(thrown, name)?.value;
    const plain = typeof text === 'string' ? text.replace(INSERTED, '(intermediate value)') : text;
    if (plain !== text) Object.defineProperty(thrown, name, { value: plain });
  }
  return thrown;
}

/**
 * Returns the function that handles an error of a promise.
 * @param {any} handle
 */
export function handler(handle) {
  if (typeof handle !== 'function') return handle;
  return /** @this {unknown} */ function (/** @type {any[]} */ ...given) {
    return handle.apply(this, given.length === 0 ? given : [caught(given[0]), ...given.slice(1)]);
  };
}

/** @param {() => unknown} fail @param {string} printed @param {string} words */
function inWords(fail, printed, words) {
  try {
    return fail();
  } catch (error) {
    const found = /** @type {Error} */ (error);
    const written = (/** @type {string} */ text) => text.replace(printed, () => words);
    throw Object.assign(found, { stack: written(String(found.stack)), message: written(found.message) });
  }
}
