// The results of the host for rewritten expressions, for all values that came together.

/** @typedef {(operation: string, ...parameters: unknown[]) => any} AskNow */
/** @typedef {(kind: string, ...parameters: unknown[]) => unknown} Compute */
/** @typedef {ReturnType<typeof createAnswers>} Answers */

const PLACEHOLDER = /^\[([A-Z][A-Z0-9_]*)_\d+\]$/;
/** The host computes nothing with them. */
const RESTRICTED = new Set(['SECRET', 'SSN', 'CREDIT_CARD', 'NATIONAL_ID', 'PASSPORT']);

/** @param {AskNow} askNow */
export function createAnswers(askNow) {
  /** @type {Map<string, Map<string, unknown>>} */
  const answers = new Map();
  /** Texts of which the program may compare other spellings. */
  const made = new Set();
  /** The last positions that the host returned. @type {Map<string, number>[]} */
  const orders = [];

  const typeOf = (/** @type {unknown} */ value) => {
    const type = typeof value === 'string' && value.charCodeAt(0) === 91 ? PLACEHOLDER.exec(value)?.[1] : undefined;
    return type !== undefined && !RESTRICTED.has(type) ? type : undefined;
  };
  /** Returns the results for all placeholders that came together with one. */
  const resultsOf = (/** @type {string} */ text, /** @type {string} */ place, /** @type {unknown[]} */ expression) => {
    const key = JSON.stringify(expression);
    const known = answers.get(key) ?? new Map();
    answers.set(key, known);
    if (known.has(text)) return known;
    const { results = [], of = [] } = askNow('compute', text, place, ...expression);
    for (const [index, result] of results.entries()) {
      if (!known.has(of[index])) known.set(of[index], result);
      for (const each of Array.isArray(result) ? result : [result]) if (typeof each === 'string') made.add(each);
    }
    if (!known.has(text)) known.set(text, null);
    return known;
  };
  const compute = (/** @type {string} */ text, /** @type {string} */ place) =>
    /** @type {Compute} */ ((...expression) => resultsOf(text, place, expression).get(text) ?? null);

  const equal = (/** @type {unknown} */ left, /** @type {unknown} */ right, place = '===') => {
    if (left === right || typeof left !== 'string' || typeof right !== 'string') return left === right;
    const [hidden, other] = typeOf(left) ? [left, right] : [right, left];
    if (!typeOf(hidden) || !(made.has(hidden) || (made.has(other) && typeOf(other)))) return false;
    if (!typeOf(other)) return compute(hidden, place)('match', { equals: other }) === true;
    const original = (/** @type {string} */ text) => (made.has(text) ? compute(text, place)('original') : null);
    if (original(hidden) === other || original(other) === hidden) return true;
    return askNow('compute', hidden, place, 'equal', other).equal === true;
  };
  /** Returns the difference of the positions of two texts; undefined if the host has none. */
  const difference = (
    /** @type {unknown} */ left,
    /** @type {unknown} */ right,
    /** @type {string} */ place,
    /** @type {unknown} */ locales,
    /** @type {unknown} */ settings = null,
  ) => {
    if (typeof left !== 'string' || typeof right !== 'string' || !(typeOf(left) || typeOf(right))) return undefined;
    const key = JSON.stringify([locales ?? null, settings]);
    const known = () =>
      orders.find((each) => /** @type {any} */ (each).key === key && each.has(left) && each.has(right));
    for (const text of [left, right]) {
      if (known() || !typeOf(text)) continue;
      const positions = resultsOf(text, place, ['order', locales ?? null, settings, text]);
      orders.unshift(Object.assign(/** @type {any} */ (new Map(positions)), { key }));
    }
    const [from, to] = [known()?.get(left), known()?.get(right)];
    return typeof from === 'number' && typeof to === 'number' ? from - to : undefined;
  };
  return {
    typeOf,
    isMade: (/** @type {unknown} */ text) => made.has(text),
    hasMade: () => made.size > 0,
    compute,
    equal,
    difference,
  };
}
