// The comparisons of `node:assert` and `node:util`.

/** @param {any} value */
const isObject = (value) => typeof value === 'object' && value !== null;
/** @param {any} value */
const tagOf = (value) => Object.prototype.toString.call(value);
/** @param {object} value */
const keysOf = (value) => [
  ...Object.keys(value),
  ...Object.getOwnPropertySymbols(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key)),
];

/**
 * Returns whether two values are equal, as `assert.deepStrictEqual` and, if not strict, `assert.deepEqual` compare them.
 * @param {any} a
 * @param {any} b
 * @param {boolean} isStrict
 * @param {[unknown, unknown][]} [above] pairs that are being compared
 * @returns {boolean}
 */
export function isDeepEqual(a, b, isStrict, above = []) {
  if (isStrict ? Object.is(a, b) : a === b || (Number.isNaN(a) && Number.isNaN(b))) return true;
  // biome-ignore lint/suspicious/noDoubleEquals: the loose functions compare so
  if (!isObject(a) || !isObject(b)) return !isStrict && !isObject(a) && !isObject(b) && a == b;
  if (isStrict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (tagOf(a) !== tagOf(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  if (!hasEqualContent(a, b)) return false;
  if (above.some(([one, other]) => one === a && other === b)) return true;
  const pairs = /** @type {[unknown, unknown][]} */ ([...above, [a, b]]);
  const equal = (/** @type {unknown} */ one, /** @type {unknown} */ other) => isDeepEqual(one, other, isStrict, pairs);
  if (a instanceof Map || a instanceof Set) if (!hasEqualEntries(a, b, equal)) return false;
  const [mine, theirs] = isStrict ? [keysOf(a), keysOf(b)] : [Object.keys(a), Object.keys(b)];
  return mine.length === theirs.length && mine.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]));
}

/** @param {any} a @param {any} b of the same kind */
function hasEqualContent(a, b) {
  if (Array.isArray(a)) return a.length === b.length;
  if (a instanceof Date) return a.getTime() === b.getTime();
  if (a instanceof RegExp) return String(a) === String(b) && a.lastIndex === b.lastIndex;
  if (a instanceof Error) return a.message === b.message && a.name === b.name;
  if (a instanceof ArrayBuffer) return hasEqualContent(new Uint8Array(a), new Uint8Array(b));
  if (ArrayBuffer.isView(a)) {
    const [one, other] = [a, b].map((view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    return one?.length === other?.length && Boolean(one?.every((byte, index) => byte === other?.[index]));
  }
  if (/^\[object (?:Number|String|Boolean|BigInt|Symbol)\]$/.test(tagOf(a))) return Object.is(a.valueOf(), b.valueOf());
  return true;
}

/** @param {any} a @param {any} b @param {(one: unknown, other: unknown) => boolean} equal */
function hasEqualEntries(a, b, equal) {
  if (a.size !== b.size) return false;
  const left = [...b];
  for (const entry of a) {
    const at = left.findIndex((other) => equal(entry, other));
    if (at < 0) return false;
    left.splice(at, 1);
  }
  return true;
}
