// The methods of iterators for engines that lack them.

/** @typedef {{ next(): IteratorResult<any>, return(): any }} Source */

const base = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));

/**
 * Adds `Iterator` and the missing methods of all iterators.
 * @param {(target: object, methods: Record<string, unknown>, replaces?: boolean) => void} add
 */
export function installIterators(add) {
  if (!('Iterator' in globalThis)) {
    Object.defineProperty(globalThis, 'Iterator', { value: iteratorClass(), writable: true, configurable: true });
  }
  add(/** @type {any} */ (globalThis).Iterator, { from, concat });
  add(base, { map, filter, take, drop, flatMap, reduce, toArray, forEach, some, every, find }, failsToClose());
  if (!(Symbol.toStringTag in base)) {
    Object.defineProperty(base, Symbol.toStringTag, { value: 'Iterator', writable: true, configurable: true });
  }
}

/** Returns whether the engine fails to close iterators without `return`, such as those of lists: QuickJS does. */
function failsToClose() {
  try {
    for (const _ of /** @type {any} */ ([1].values()).map(String)) break;
    return false;
  } catch {
    return true;
  }
}

function iteratorClass() {
  /** @this {unknown} */
  function Iterator() {
    if (!new.target || new.target === /** @type {any} */ (Iterator))
      throw new TypeError('Abstract class Iterator not directly constructable');
  }
  Object.defineProperty(Iterator, 'prototype', { value: base, writable: false });
  Object.defineProperty(base, 'constructor', { value: Iterator, writable: true, configurable: true });
  return Iterator;
}

/** @param {any} iterator @returns {Source & Iterable<any>} */
function sourceOf(iterator) {
  if (typeof iterator !== 'object' && typeof iterator !== 'function')
    throw new TypeError('The receiver is not an object');
  const { next } = iterator;
  return {
    next: () => {
      const result = next.call(iterator);
      if (typeof result !== 'object' || result === null) throw new TypeError(`${String(result)} is not an object`);
      return result;
    },
    return: () => iterator.return?.() ?? { value: undefined, done: true },
    [Symbol.iterator]() {
      return this;
    },
  };
}

/** @param {any} iterator @param {any} work */
function needFunction(iterator, work) {
  if (typeof work === 'function') return;
  iterator.return?.();
  throw new TypeError(`${String(work)} is not a function`);
}

/** @param {any} iterator @param {any} limit */
function readLimit(iterator, limit) {
  const number = Number(limit);
  const whole = Math.trunc(number);
  if (!Number.isNaN(number) && whole >= 0) return whole;
  iterator.return?.();
  throw new RangeError(`${String(limit)} must be positive`);
}

/** @this {any} @param {(value: any, index: number) => any} work */
function map(work) {
  needFunction(this, work);
  const source = sourceOf(this);
  return (function* () {
    let index = 0;
    for (const value of source) yield work(value, index++);
  })();
}

/** @this {any} @param {(value: any, index: number) => any} work */
function filter(work) {
  needFunction(this, work);
  const source = sourceOf(this);
  return (function* () {
    let index = 0;
    for (const value of source) if (work(value, index++)) yield value;
  })();
}

/** @this {any} @param {any} limit */
function take(limit) {
  const most = readLimit(this, limit);
  const source = sourceOf(this);
  return (function* () {
    let left = most;
    if (left === 0) {
      source.return();
      return;
    }
    for (const value of source) {
      yield value;
      if (--left <= 0) return;
    }
  })();
}

/** @this {any} @param {any} limit */
function drop(limit) {
  const most = readLimit(this, limit);
  const source = sourceOf(this);
  return (function* () {
    let left = most;
    for (const value of source) {
      if (left > 0) left--;
      else yield value;
    }
  })();
}

/** @this {any} @param {(value: any, index: number) => any} work */
function flatMap(work) {
  needFunction(this, work);
  const source = sourceOf(this);
  return (function* () {
    let index = 0;
    for (const value of source) {
      const inner = work(value, index++);
      if (typeof inner !== 'object' || inner === null) throw new TypeError(`${String(inner)} is not an object`);
      yield* iterableOf(inner);
    }
  })();
}

/** @param {any} value an iterable or an iterator */
function iterableOf(value) {
  return typeof value[Symbol.iterator] === 'function' ? value : sourceOf(value);
}

/** @this {any} @param {(sum: any, value: any, index: number) => any} work @param {any[]} initial */
function reduce(work, ...initial) {
  needFunction(this, work);
  const source = sourceOf(this);
  let index = 0;
  let sum = initial[0];
  if (initial.length === 0) {
    const first = source.next();
    if (first.done) throw new TypeError('Reduce of a done iterator with no initial value');
    sum = first.value;
    index = 1;
  }
  for (const value of source) sum = work(sum, value, index++);
  return sum;
}

/** @this {any} */
function toArray() {
  return [...sourceOf(this)];
}

/** @this {any} @param {(value: any, index: number) => any} work */
function forEach(work) {
  needFunction(this, work);
  let index = 0;
  for (const value of sourceOf(this)) work(value, index++);
}

/** @this {any} @param {(value: any, index: number) => any} work */
function some(work) {
  needFunction(this, work);
  let index = 0;
  for (const value of sourceOf(this)) if (work(value, index++)) return true;
  return false;
}

/** @this {any} @param {(value: any, index: number) => any} work */
function every(work) {
  needFunction(this, work);
  let index = 0;
  for (const value of sourceOf(this)) if (!work(value, index++)) return false;
  return true;
}

/** @this {any} @param {(value: any, index: number) => any} work */
function find(work) {
  needFunction(this, work);
  let index = 0;
  for (const value of sourceOf(this)) if (work(value, index++)) return value;
  return undefined;
}

/** @param {any} value */
function from(value) {
  if (value === null || (typeof value !== 'object' && typeof value !== 'string'))
    throw new TypeError(`${String(value)} is not an object`);
  const iterator = typeof value[Symbol.iterator] === 'function' ? value[Symbol.iterator]() : value;
  if (Object.prototype.isPrototypeOf.call(base, iterator)) return iterator;
  const { next } = iterator;
  return Object.assign(Object.create(base), {
    next: () => next.call(iterator),
    return: () => iterator.return?.() ?? { value: undefined, done: true },
  });
}

/** @param {any[]} iterables */
function concat(...iterables) {
  for (const iterable of iterables) {
    if (typeof iterable?.[Symbol.iterator] !== 'function') throw new TypeError(`${String(iterable)} is not iterable`);
  }
  return (function* () {
    for (const iterable of iterables) yield* iterable;
  })();
}
