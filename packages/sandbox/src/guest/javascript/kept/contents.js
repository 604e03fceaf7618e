// The content of kept values: text from which a later program has the same value again.

import { parseDigits } from '../numbers.js';
import { fromBase64, toBase64 } from '../web/extras.js';

const { parse, stringify } = JSON;
const MAX_DEPTH = 200;
const VIEWS = /** @type {Record<string, any>} */ ({
  ...{ Uint8Array, Int8Array, Uint8ClampedArray, Uint16Array, Int16Array, Uint32Array, Int32Array },
  ...{ Float32Array, Float64Array, BigInt64Array, BigUint64Array, DataView },
});

/** Raised with the reason for which a value cannot be kept. */
export class Unkeepable extends Error {}

/**
 * Returns the format and the content of a value. Raises `Unkeepable`.
 * @param {any} value
 * @param {{ left: number, isClass: (name: string) => boolean }} options characters that are left, and whether a class is kept
 * @returns {{ format: 'json' | 'clone', content: string, needs?: string[] }}
 */
export function contentOf(value, { left, isClass }) {
  if (typeof value === 'string') withinLimit(value, left);
  if (isPlain(value, MAX_DEPTH, new Set())) return { format: 'json', content: withinLimit(stringify(value), left) };
  /** @type {Set<string>} */
  const needs = new Set();
  const content = withinLimit(stringify(nodesOf(value, isClass, needs)), left);
  return { format: 'clone', content, needs: [...needs] };
}

/** @param {string} format @param {string} content @param {(name: string) => any} classNamed */
export function readContent(format, content, classNamed) {
  return format === 'json' ? parseDigits(content) : fromNodes(parse(content), classNamed);
}

/** @param {string} content @param {number} left */
function withinLimit(content, left) {
  if (content.length <= left) return content;
  throw new Unkeepable(`it is over ${left.toLocaleString('en-US')} bytes; write it to a file in /workspace`);
}

/** Returns whether JSON has the value exactly, and no part of it in two places. @param {any} value @param {number} depth @param {Set<object>} seen */
function isPlain(value, depth, seen) {
  if (typeof value === 'number') return isPlainNumber(value);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value !== 'object' || depth === 0 || seen.has(value)) return false;
  seen.add(value);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!isPlain(value[index], depth - 1, seen)) return false;
    return Object.keys(value).length === value.length;
  }
  if (!isRecord(value) || typeof value.toJSON === 'function' || Object.hasOwn(value, '__proto__')) return false;
  for (const key of Object.keys(value)) if (!isPlain(value[key], depth - 1, seen)) return false;
  return true;
}

/** @param {number} value */
function isPlainNumber(value) {
  return Number.isFinite(value) && !Object.is(value, -0) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

/** @param {object} value */
function isRecord(value) {
  const prototype = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.getOwnPropertySymbols(value).length === 0;
}

/**
 * Returns the nodes of a value. A node is a string, a boolean, a number or null, or `[tag, …]` with the numbers of other nodes.
 * @param {any} root
 * @param {(name: string) => boolean} isClass
 * @param {Set<string>} needs
 */
function nodesOf(root, isClass, needs) {
  /** @type {unknown[]} */
  const nodes = [];
  /** @type {Map<object, number>} */
  const numbers = new Map();
  /** @param {any} value @returns {number} */
  const add = (value) => {
    const known = numbers.get(value);
    if (known !== undefined) return known;
    const number = nodes.push(null) - 1;
    if (typeof value === 'object' && value !== null) numbers.set(value, number);
    nodes[number] = nodeOf(value);
    return number;
  };
  const pairs = (/** @type {any} */ value) => Object.keys(value).flatMap((key) => [key, add(value[key])]);
  /** @param {any} value @returns {unknown} */
  const nodeOf = (value) => {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number')
      return isPlainNumber(value) ? value : ['number', Object.is(value, -0) ? '-0' : String(value)];
    if (typeof value === 'bigint') return ['bigint', String(value)];
    if (value === undefined) return ['undefined'];
    if (typeof value !== 'object') throw new Unkeepable(`it contains a ${typeof value}`);
    if (Array.isArray(value)) return ['array', value.length, ...pairs(value)];
    if (value instanceof Map) return ['map', ...[...value].flatMap(([key, item]) => [add(key), add(item)])];
    if (value instanceof Set) return ['set', ...[...value].map(add)];
    if (value instanceof Date) return ['date', value.getTime()];
    if (value instanceof RegExp) return ['regexp', value.source, value.flags];
    if (value instanceof ArrayBuffer) return ['buffer', toBase64(new Uint8Array(value))];
    if (ArrayBuffer.isView(value)) return viewNode(value, add);
    if (value instanceof Error) return ['error', value.name, value.message];
    if (typeof value.then === 'function') throw new Unkeepable('it is not awaited');
    if (isRecord(value)) return ['object', ...pairs(value)];
    const name = String(value.constructor?.name);
    if (!isClass(name)) throw new Unkeepable(`it contains a ${name}`);
    needs.add(name);
    return ['instance', name, ...pairs(value)];
  };
  add(root);
  return nodes;
}

/** @param {any} value @param {(value: any) => number} add */
function viewNode(value, add) {
  const kind = Object.keys(VIEWS).find((name) => value instanceof VIEWS[name]);
  const length = value instanceof DataView ? value.byteLength : value.length;
  return ['view', kind ?? 'Uint8Array', add(value.buffer), value.byteOffset, length];
}

/** Returns the value of its nodes. @param {any[]} nodes @param {(name: string) => any} classNamed */
function fromNodes(nodes, classNamed) {
  /** @type {Map<number, any>} */
  const values = new Map();
  /** @param {number} number @returns {any} */
  const read = (number) => {
    if (values.has(number)) return values.get(number);
    const node = nodes[number];
    if (!Array.isArray(node)) return node;
    const [tag, ...parts] = node;
    const value = emptyOf(tag, parts, read, classNamed);
    values.set(number, value);
    fill(value, tag, parts, read);
    return value;
  };
  return read(0);
}

/** @param {string} tag @param {any[]} parts @param {(number: number) => any} read @param {(name: string) => any} classNamed @returns {any} */
function emptyOf(tag, parts, read, classNamed) {
  const [first, second] = parts;
  switch (tag) {
    case 'number':
      return Number(first);
    case 'bigint':
      return BigInt(first);
    case 'array':
      return new Array(first);
    case 'map':
      return new Map();
    case 'set':
      return new Set();
    case 'date':
      return new Date(first ?? Number.NaN);
    case 'regexp':
      return new RegExp(first, second);
    case 'buffer':
      return fromBase64(first).buffer;
    case 'view':
      return new VIEWS[first](read(second), ...parts.slice(2));
    case 'error':
      return Object.assign(new Error(second), { name: first });
    case 'object':
      return {};
    case 'instance':
      return Object.create(classNamed(first).prototype);
    default:
      return undefined;
  }
}

/** @param {any} value @param {string} tag @param {any[]} parts @param {(number: number) => any} read */
function fill(value, tag, parts, read) {
  if (tag === 'set') for (const number of parts) value.add(read(number));
  else if (tag === 'map') for (let at = 0; at < parts.length; at += 2) value.set(read(parts[at]), read(parts[at + 1]));
  else if (tag === 'object' || tag === 'array' || tag === 'instance') {
    for (let at = tag === 'object' ? 0 : 1; at < parts.length; at += 2) {
      const property = { value: read(parts[at + 1]), writable: true, enumerable: true, configurable: true };
      Object.defineProperty(value, parts[at], property);
    }
  }
}

/** Returns the type of a value with its size, for people: `array 120`. @param {any} value */
export function described(value) {
  if (value === null) return 'null';
  if (typeof value === 'function')
    return /^class\b/.test(Function.prototype.toString.call(value)) ? 'class' : 'function';
  if (typeof value !== 'object') return typeof value;
  const size = (/** @type {number} */ count) => count.toLocaleString('en-US');
  if (Array.isArray(value)) return `array ${size(value.length)}`;
  if (value instanceof Map || value instanceof Set) return `${value.constructor.name} ${size(value.size)}`;
  if (ArrayBuffer.isView(value)) return `${value.constructor.name} ${size(value.byteLength)}`;
  const name = value.constructor?.name ?? 'Object';
  return name === 'Object' ? `object ${size(Object.keys(value).length)}` : name;
}
