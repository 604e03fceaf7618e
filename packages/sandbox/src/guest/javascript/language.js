// Newer parts of the language for engines that lack them, as the standard has them: programs run the same on every Node and engine.
import { installIterators } from './iterators.js';

/** Adds the missing methods. */
export function installLanguage() {
  add(Object, { groupBy });
  add(Map, { groupBy: mapGroupBy });
  for (const Class of [Map, WeakMap]) add(Class.prototype, { getOrInsert, getOrInsertComputed });
  add(Promise, { withResolvers, try: attempt });
  add(Array, { fromAsync });
  add(Set.prototype, {
    union,
    intersection,
    difference,
    symmetricDifference,
    isSubsetOf,
    isSupersetOf,
    isDisjointFrom,
  });
  add(Error, { isError });
  // One engine escapes letters too.
  add(RegExp, { escape: escapeText }, /** @type {any} */ (RegExp).escape?.('é') !== 'é');
  add(Math, { f16round, sumPrecise });
  // One engine has it, and the standard has not.
  Reflect.deleteProperty(Set, 'groupBy');
  installIterators(add);
}

/**
 * Adds methods that are missing, or replaces wrong ones. Loops do not see them.
 * @param {object} target
 * @param {Record<string, unknown>} methods
 * @param {boolean} [replaces]
 */
function add(target, methods, replaces = false) {
  for (const [name, value] of Object.entries(methods)) {
    if (name in target && !replaces) continue;
    Object.defineProperty(value, 'name', { value: name, configurable: true });
    Object.defineProperty(target, name, { value, writable: true, configurable: true });
  }
}

/**
 * Visits the items of a list with their keys.
 * @param {Iterable<any>} items
 * @param {(item: any, index: number) => any} keyOf
 * @param {(key: any, item: any) => void} keep
 */
function group(items, keyOf, keep) {
  if (items === null || items === undefined) throw new TypeError(`${items} is not iterable`);
  if (typeof keyOf !== 'function') throw new TypeError(`${String(keyOf)} is not a function`);
  let index = 0;
  for (const item of items) keep(keyOf(item, index++), item);
}

/** @param {Iterable<any>} items @param {(item: any, index: number) => any} keyOf */
function groupBy(items, keyOf) {
  const groups = Object.create(null);
  group(items, keyOf, (key, item) => {
    const name = typeof key === 'symbol' ? key : `${key}`;
    const members = groups[name];
    if (members) members.push(item);
    else groups[name] = [item];
  });
  return groups;
}

/** @param {Iterable<any>} items @param {(item: any, index: number) => any} keyOf */
function mapGroupBy(items, keyOf) {
  const groups = new Map();
  group(items, keyOf, (key, item) => {
    const members = groups.get(key);
    if (members) members.push(item);
    else groups.set(key, [item]);
  });
  return groups;
}

/** @this {Map<any, any>} @param {any} key @param {any} value */
function getOrInsert(key, value) {
  if (!this.has(key)) this.set(key, value);
  return this.get(key);
}

/** @this {Map<any, any>} @param {any} key @param {(key: any) => any} make */
function getOrInsertComputed(key, make) {
  if (typeof make !== 'function') throw new TypeError(`${String(make)} is not a function`);
  if (!this.has(key)) this.set(key, make(key));
  return this.get(key);
}

/** @this {PromiseConstructor} */
function withResolvers() {
  /** @type {any} */
  const made = { promise: undefined };
  made.promise = new this((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}

/** @this {PromiseConstructor} @param {(...values: any[]) => any} work @param {any[]} values */
function attempt(work, ...values) {
  return new this((resolve) => resolve(work(...values)));
}

/** @param {any} source @param {(value: any, index: number) => any} [map] @param {unknown} [receiver] */
async function fromAsync(source, map, receiver) {
  const values = [];
  const isIterable = source[Symbol.asyncIterator] ?? source[Symbol.iterator];
  for await (const value of isIterable ? source : Array.from(source))
    values.push(map ? await map.call(receiver, value, values.length) : value);
  return values;
}

/**
 * Reads another set: a `Set`, a `Map` or any object with `size`, `has` and `keys`.
 * @param {any} other
 */
function readSet(other) {
  if (typeof other !== 'object' && typeof other !== 'function') throw new TypeError('The argument is not a set');
  if (other === null || Number.isNaN(Number(other.size)))
    throw new TypeError('The "size" of the argument is no number');
  const { has, keys } = other;
  if (typeof has !== 'function') throw new TypeError('The "has" of the argument is no function');
  if (typeof keys !== 'function') throw new TypeError('The "keys" of the argument is no function');
  return {
    size: Number(other.size),
    has: (/** @type {any} */ value) => Boolean(has.call(other, value)),
    /** @returns {Iterable<any>} */
    keys: () => ({ [Symbol.iterator]: () => keys.call(other) }),
  };
}

/** @this {Set<any>} @param {any} other */
function union(other) {
  const { keys } = readSet(other);
  const result = new Set(this);
  for (const value of keys()) result.add(value);
  return result;
}

/** @this {Set<any>} @param {any} other */
function intersection(other) {
  const { size, has, keys } = readSet(other);
  const result = new Set();
  if (this.size <= size) {
    for (const value of this) if (has(value)) result.add(value);
  } else {
    for (const value of keys()) if (this.has(value)) result.add(value);
  }
  return result;
}

/** @this {Set<any>} @param {any} other */
function difference(other) {
  const { size, has, keys } = readSet(other);
  const result = new Set(this);
  if (this.size <= size) {
    for (const value of this) if (has(value)) result.delete(value);
  } else {
    for (const value of keys()) result.delete(value);
  }
  return result;
}

/** @this {Set<any>} @param {any} other */
function symmetricDifference(other) {
  const { keys } = readSet(other);
  const result = new Set(this);
  for (const value of keys()) {
    if (this.has(value)) result.delete(value);
    else result.add(value);
  }
  return result;
}

/** @this {Set<any>} @param {any} other */
function isSubsetOf(other) {
  const { size, has } = readSet(other);
  if (this.size > size) return false;
  for (const value of this) if (!has(value)) return false;
  return true;
}

/** @this {Set<any>} @param {any} other */
function isSupersetOf(other) {
  const { size, keys } = readSet(other);
  if (this.size < size) return false;
  for (const value of keys()) if (!this.has(value)) return false;
  return true;
}

/** @this {Set<any>} @param {any} other */
function isDisjointFrom(other) {
  const { size, has, keys } = readSet(other);
  if (this.size <= size) {
    for (const value of this) if (has(value)) return false;
  } else {
    for (const value of keys()) if (this.has(value)) return false;
  }
  return true;
}

/** @param {any} value */
function isError(value) {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof Error) return true;
  return !(Symbol.toStringTag in value) && Object.prototype.toString.call(value) === '[object Error]';
}

const CONTROLS = /** @type {Record<string, string>} */ ({
  ...{ '\t': '\\t', '\n': '\\n', '\v': '\\v', '\f': '\\f', '\r': '\\r' },
});

/** @param {unknown} text */
function escapeText(text) {
  if (typeof text !== 'string') throw new TypeError('RegExp.escape takes a string');
  let escaped = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (escaped === '' && /^[\dA-Za-z]$/.test(character)) escaped += hex(code);
    else if (/^[\^$\\.*+?()[\]{}|/]$/.test(character)) escaped += `\\${character}`;
    else if (CONTROLS[character]) escaped += CONTROLS[character];
    else if (/^[,\-=<>#&!%:;@~'`"\s]$/.test(character) || (code >= 0xd800 && code <= 0xdfff)) escaped += hex(code);
    else escaped += character;
  }
  return escaped;
}

/** @param {number} code */
function hex(code) {
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/**
 * Rounds to the nearest number of 16 bits, ties to even.
 * @param {unknown} value
 */
function f16round(value) {
  const number = Number(value);
  if (!Number.isFinite(number) || number === 0) return number;
  // The step between numbers of 10 bits at this size; below 2^-14 it stays.
  const step = 2 ** (Math.max(Math.floor(Math.log2(Math.abs(number))), -14) - 10);
  const steps = number / step;
  const below = Math.floor(steps);
  const isTie = steps - below === 0.5;
  const rounded = (isTie ? below + (Math.abs(below) % 2) : Math.round(steps)) * step;
  if (Math.abs(rounded) >= 65_520) return Math.sign(number) * Number.POSITIVE_INFINITY;
  return rounded === 0 && number < 0 ? -0 : rounded;
}

/**
 * Adds numbers without errors of rounding: the sum of exact parts (Shewchuk) is rounded once.
 * @param {Iterable<any>} numbers
 */
function sumPrecise(numbers) {
  /** @type {bigint} numerator of 2^-1074 */
  let exact = 0n;
  let special = 0;
  let isNegativeZero = true;
  for (const number of numbers) {
    if (typeof number !== 'number') throw new TypeError('Math.sumPrecise takes numbers');
    if (!Object.is(number, -0)) isNegativeZero = false;
    if (Number.isFinite(number)) exact += exactOf(number);
    else special += number;
  }
  if (special !== 0) return special;
  return isNegativeZero ? -0 : numberOf(exact);
}

const EXPONENT_BIAS = 1075;

/** Returns a number as a multiple of 2^-1074. @param {number} number */
function exactOf(number) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, number);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  const size = exponent === 0 ? fraction : (fraction | (1n << 52n)) << BigInt(exponent - 1);
  return bits >> 63n === 1n ? -size : size;
}

/** Returns the nearest number of a multiple of 2^-1074, ties to even. @param {bigint} exact */
function numberOf(exact) {
  const size = exact < 0n ? -exact : exact;
  const extra = Math.max(size.toString(2).length - 53, 0);
  let kept = size >> BigInt(extra);
  if (extra > 0) {
    const rest = size - (kept << BigInt(extra));
    const half = 1n << BigInt(extra - 1);
    if (rest > half || (rest === half && kept % 2n === 1n)) kept++;
  }
  // In two steps, because 2^-1074 alone times a small number may be rounded to zero.
  const power = extra - (EXPONENT_BIAS - 1);
  const number = power < -1000 ? Number(kept) * 2 ** -500 * 2 ** (power + 500) : Number(kept) * 2 ** power;
  return exact < 0n ? -number : number;
}
