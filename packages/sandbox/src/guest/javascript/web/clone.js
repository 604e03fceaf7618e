// `structuredClone` for engines that lack it.

const ERRORS = /** @type {Record<string, ErrorConstructor>} */ ({
  ...{ Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError },
});

/** @param {any} value */
function refuse(value) {
  const text = typeof value === 'symbol' ? String(value) : typeof value === 'function' ? String(value) : '#<Object>';
  throw new /** @type {any} */ (globalThis).DOMException(`${text} could not be cloned.`, 'DataCloneError');
}

/**
 * Returns a deep copy, cycles included. Raises `DataCloneError` for functions, symbols, promises and weak collections.
 * @param {unknown[]} given the value
 * @returns {any}
 */
export function structuredClone(...given) {
  if (given.length === 0)
    throw Object.assign(new TypeError('The "value" argument must be specified'), { code: 'ERR_MISSING_ARGS' });
  return clone(given[0], new Map());
}

/** @param {any} source @param {Map<unknown, unknown>} seen @returns {any} */
function clone(source, seen) {
  if (typeof source === 'function' || typeof source === 'symbol') return refuse(source);
  if (typeof source !== 'object' || source === null) return source;
  if (seen.has(source)) return seen.get(source);
  const copy = emptyCopy(source, seen);
  seen.set(source, copy);
  if (source instanceof Map) {
    for (const [key, value] of [...source]) copy.set(clone(key, seen), clone(value, seen));
  } else if (source instanceof Set) {
    for (const value of [...source]) copy.add(clone(value, seen));
  } else if (isPlain(source)) {
    for (const key of Object.keys(source)) {
      const value = clone(source[key], seen);
      Object.defineProperty(copy, key, { value, writable: true, enumerable: true, configurable: true });
    }
  }
  return copy;
}

/** @param {any} source */
function isPlain(source) {
  return Array.isArray(source) || /^\[object (?:Object|Arguments)\]$|^(?!\[object )/.test(tagOf(source));
}

/** @param {object} source */
function tagOf(source) {
  return Object.prototype.toString.call(source);
}

/** Returns a copy without the entries of a collection and the members of a plain object. @param {any} source @param {Map<unknown, unknown>} seen */
function emptyCopy(source, seen) {
  if (Array.isArray(source)) return new Array(source.length);
  if (source instanceof Map) return new Map();
  if (source instanceof Set) return new Set();
  if (source instanceof Date) return new Date(source.getTime());
  if (source instanceof RegExp) return new RegExp(source.source, source.flags);
  if (source instanceof ArrayBuffer) return source.slice(0);
  if (ArrayBuffer.isView(source)) return viewCopy(source, seen);
  if (source instanceof Error) return errorCopy(source, seen);
  if (source instanceof Promise || source instanceof WeakMap || source instanceof WeakSet) return refuse(source);
  if (/^\[object (?:Number|String|Boolean|BigInt)\]$/.test(tagOf(source))) return Object(source.valueOf());
  return {};
}

/** @param {any} view @param {Map<unknown, unknown>} seen */
function viewCopy(view, seen) {
  const Kind = view instanceof DataView ? DataView : /** @type {any} */ (globalThis)[view[Symbol.toStringTag]];
  const length = view instanceof DataView ? view.byteLength : view.length;
  return new Kind(clone(view.buffer, seen), view.byteOffset, length);
}

/** @param {any} error @param {Map<unknown, unknown>} seen */
function errorCopy(error, seen) {
  const Kind = ERRORS[error.name] ?? Error;
  const copy = new Kind(error.message, ...('cause' in error ? [{ cause: clone(error.cause, seen) }] : []));
  Object.defineProperty(copy, 'stack', { value: error.stack, writable: true, configurable: true });
  return copy;
}
