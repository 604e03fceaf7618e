// `pii`, also for exported tests, which contain the text of this file.

/** @typedef {(operation: string, ...parameters: unknown[]) => Promise<any>} Ask */

/**
 * Creates the functions that read the values of placeholders. The host computes; the program receives facts and placeholders.
 * @param {Ask} ask
 */
export function createPii(ask) {
  const fieldOf = (/** @type {any} */ key) => {
    if (typeof key === 'function') return key;
    return key === undefined ? (/** @type {any} */ row) => row : (/** @type {any} */ row) => row?.[key];
  };
  const valuesOf = (/** @type {any[]} */ list, /** @type {unknown} */ key) =>
    list.map((row) => fieldOf(key)(row) ?? null);
  const transform = (/** @type {unknown} */ values, /** @type {unknown[]} */ ...names) =>
    ask('transform', values, names.flat());
  return Object.freeze({
    derive: (/** @type {unknown} */ placeholders, /** @type {unknown} */ what) => ask('derive', placeholders, what),
    match: (/** @type {unknown} */ values, /** @type {unknown} */ condition) => ask('match', values, condition),
    transform,
    equal: (/** @type {unknown} */ a, /** @type {unknown} */ b, /** @type {{ ignoreCase?: boolean }} */ options = {}) =>
      ask('equal', a, b, options.ignoreCase === true),
    age: (/** @type {unknown} */ values, /** @type {unknown[]} */ ...on) => ask('age', values, ...on),
    /** Absent values come last, as in `toSorted`. */
    async sort(/** @type {any[]} */ list, /** @type {unknown} */ key, /** @type {unknown[]} */ ...names) {
      const ranks = await ask('order', valuesOf(list, key), names.flat());
      const rankAt = (/** @type {number} */ index) => ranks[index] ?? Number.POSITIVE_INFINITY;
      const indexes = list
        .map((_, index) => index)
        .sort((a, b) => (rankAt(a) < rankAt(b) ? -1 : rankAt(a) > rankAt(b) ? 1 : 0));
      return indexes.map((index) => list[index]);
    },
    async group(/** @type {any[]} */ list, /** @type {unknown} */ key, /** @type {unknown[]} */ ...names) {
      const keys = await transform(valuesOf(list, key), ...(names.length === 0 ? ['key'] : names));
      /** @type {Map<unknown, any[]>} */
      const rows = new Map();
      for (const [index, row] of list.entries()) rows.set(keys[index], [...(rows.get(keys[index]) ?? []), row]);
      return Array.from(rows, ([group, members]) => ({ key: group, rows: members }));
    },
    async join(
      /** @type {any[]} */ left,
      /** @type {any[]} */ right,
      /** @type {unknown} */ key,
      /** @type {unknown} */ otherKey = key,
    ) {
      const keys = await transform([...valuesOf(left, key), ...valuesOf(right, otherKey)], 'key');
      /** @type {Map<unknown, any[]>} */
      const others = new Map();
      for (const [index, row] of right.entries()) {
        const found = keys[left.length + index];
        others.set(found, [...(others.get(found) ?? []), row]);
      }
      return left.flatMap((row, index) =>
        keys[index] === null ? [] : (others.get(keys[index]) ?? []).map((/** @type {any} */ other) => [row, other]),
      );
    },
  });
}
