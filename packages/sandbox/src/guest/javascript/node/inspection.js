// `node:util` for engines that lack it.
// biome-ignore assist/source/organizeImports: the library reads the globals of the first module
import { removeGlobals } from './parts/inspect-globals.js';
import { format, formatWithOptions, inspect, stripVTControlCharacters } from 'node-inspect-extracted';
import { compute } from '../engine.js';
import { isDeepEqual } from './parts/deep-equal.js';

removeGlobals();

/** The stacks of some engines do not start with the error. */
const HEADLESS = /^\s+at /;

Object.defineProperty(Error.prototype, inspect.custom, {
  /** @this {Error} */
  value() {
    if (HEADLESS.test(String(this.stack))) this.stack = `${this}\n${String(this.stack).trimEnd()}`;
    return this;
  },
  writable: true,
  configurable: true,
});

/** @param {any} a @param {any} b */
export const isDeepStrictEqual = (a, b) => isDeepEqual(a, b, true);
const custom = Symbol.for('nodejs.util.promisify.custom');

/** @param {any} work */
export function promisify(work) {
  if (typeof work !== 'function')
    throw Object.assign(new TypeError('The "original" argument must be of type function.'), {
      code: 'ERR_INVALID_ARG_TYPE',
    });
  if (work[custom]) return work[custom];
  /** @this {unknown} @param {unknown[]} args */
  function promised(...args) {
    return new Promise((resolve, reject) => {
      work.call(this, ...args, (/** @type {unknown} */ error, /** @type {unknown} */ value) =>
        error ? reject(error) : resolve(value),
      );
    });
  }
  return Object.setPrototypeOf(promised, Object.getPrototypeOf(work));
}
promisify.custom = custom;

/** @param {(...args: unknown[]) => Promise<unknown>} work */
export function callbackify(work) {
  return /** @this {unknown} @param {any[]} args */ function (...args) {
    const callback = args.pop();
    work.apply(this, args).then(
      (value) => queueMicrotask(() => callback(null, value)),
      (error) => queueMicrotask(() => callback(error ?? new Error('The promise was rejected with a falsy value.'))),
    );
  };
}

/** @param {any} child @param {any} parent */
export function inherits(child, parent) {
  Object.defineProperty(child, 'super_', { value: parent, writable: true, configurable: true });
  Object.setPrototypeOf(child.prototype, parent.prototype);
}
export const deprecate = (/** @type {unknown} */ work) => work;
export const debuglog = () => Object.assign(() => undefined, { enabled: false });
export const toUSVString = (/** @type {unknown} */ text) => /** @type {any} */ (String(text)).toWellFormed();

/** @param {any} [options] */
export function parseArgs({ args = [], ...options } = {}) {
  const { values, ...rest } = compute('util.parseArgs', [{ args, ...options }]);
  return { values: Object.assign(Object.create(null), values), ...rest };
}

/** @param {any} style @param {string} text */
export const styleText = (style, text) => compute('util.styleText', [style, text]);

/** @param {(value: any) => unknown} read fails for other values */
function branded(read) {
  return (/** @type {any} */ value) => {
    try {
      read(value);
      return true;
    } catch {
      return false;
    }
  };
}
/** @param {string} name */
const tagged = (name) => (/** @type {any} */ value) => Object.prototype.toString.call(value) === `[object ${name}]`;
/** @param {string} name */
const typed = (name) => (/** @type {any} */ value) =>
  ArrayBuffer.isView(value) && /** @type {any} */ (value)[Symbol.toStringTag] === name;
const getter = (/** @type {any} */ prototype, /** @type {string} */ name) =>
  /** @type {any} */ (Object.getOwnPropertyDescriptor(prototype, name)).get;
const ARRAYS = [
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
];
const MORE_ARRAYS = ['Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array'];
const isBoxed = (/** @type {any} */ value) =>
  typeof value === 'object' && ['Number', 'String', 'Boolean', 'BigInt', 'Symbol'].some((name) => tagged(name)(value));

export const types = {
  isAnyArrayBuffer: tagged('ArrayBuffer'),
  isArrayBuffer: tagged('ArrayBuffer'),
  isArrayBufferView: ArrayBuffer.isView,
  isAsyncFunction: tagged('AsyncFunction'),
  isBoxedPrimitive: isBoxed,
  isDate: branded((value) => Date.prototype.getTime.call(value)),
  isDataView: (/** @type {any} */ value) => value instanceof DataView,
  isGeneratorFunction: (/** @type {any} */ value) => /GeneratorFunction\]$/.test(Object.prototype.toString.call(value)),
  isGeneratorObject: tagged('Generator'),
  isMap: branded((value) => Map.prototype.has.call(value, 0)),
  isMapIterator: tagged('Map Iterator'),
  isNativeError: (/** @type {any} */ value) => value instanceof Error,
  isPromise: (/** @type {any} */ value) => value instanceof Promise,
  isRegExp: branded((value) => getter(RegExp.prototype, 'source').call(value) && RegExp.prototype.exec.length),
  isSet: branded((value) => Set.prototype.has.call(value, 0)),
  isSetIterator: tagged('Set Iterator'),
  isTypedArray: (/** @type {any} */ value) => ArrayBuffer.isView(value) && !(value instanceof DataView),
  isWeakMap: branded((value) => WeakMap.prototype.has.call(value, {})),
  isWeakSet: branded((value) => WeakSet.prototype.has.call(value, {})),
  ...Object.fromEntries([...ARRAYS, ...MORE_ARRAYS].map((name) => [`is${name}`, typed(name)])),
};

export const { isArray } = Array;
const { TextDecoder, TextEncoder } = globalThis;
export { format, formatWithOptions, inspect, stripVTControlCharacters, TextDecoder, TextEncoder };
export default {
  ...{ format, formatWithOptions, inspect, stripVTControlCharacters, TextDecoder, TextEncoder, types, isArray },
  ...{ isDeepStrictEqual, promisify, callbackify, inherits, deprecate, debuglog, debug: debuglog, toUSVString },
  ...{ parseArgs, styleText },
};
