// The parts of the web platform that programs expect and a bare engine lacks. Existing globals are kept. Rarely used parts are
// in `web/extras.js`, which is loaded at the first access.
import { installClock } from './clock.js';
import { lateModule } from './engine.js';
import { AWAIT_IT } from './faults.js';
import { installLanguage } from './language.js';
import { parseDigits } from './numbers.js';

const EXTRAS = [
  ...['URL', 'URLSearchParams', 'TextEncoder', 'TextDecoder', 'structuredClone', 'atob', 'btoa', 'DOMException'],
  ...['Event', 'CustomEvent', 'EventTarget', 'AbortController', 'AbortSignal', 'Blob', 'File', 'FormData', 'Headers'],
  ...['CompressionStream', 'DecompressionStream'],
];
const STREAMS = [
  ...['ReadableStream', 'WritableStream', 'TransformStream', 'ByteLengthQueuingStrategy', 'CountQueuingStrategy'],
];
/** The bytes of one call, as in browsers. */
const MAX_RANDOM_BYTES = 65_536;

/** Signs of the collection of garbage and of other threads: a replay could not repeat them. */
const NOT_REPEATABLE = ['WeakRef', 'FinalizationRegistry', 'SharedArrayBuffer', 'Atomics'];

/** The line in the logs about numbers that JavaScript would change. */
const DIGITS =
  'JSON.parse read whole numbers beyond 2^53 as the text of their digits. Pass the text on as it is, or use BigInt(text).';

/** @typedef {(operation: string, ...parameters: unknown[]) => Promise<any>} Ask */

/**
 * Adds the missing globals.
 * @param {Ask} ask
 * @param {() => number} now reads the clock, in milliseconds since the epoch
 * @param {() => any} extras
 * @param {(text: string) => void} warn writes a line to the logs
 */
export function installPlatform(ask, now, extras, warn) {
  const { random, seedWith } = seededRandom();
  let started = 0;
  installClock(now);
  for (const name of NOT_REPEATABLE) Reflect.deleteProperty(globalThis, name);
  Math.random = random;
  refusePromises();
  const parsing = replaceParse(warn);
  const { globals, pendingTimers } = timers(ask);
  addMissing({
    ...globals,
    queueMicrotask: (/** @type {() => void} */ task) => {
      if (typeof task === 'function') return void Promise.resolve().then(task);
      throw Object.assign(new TypeError('The "callback" argument must be of type function.'), {
        code: 'ERR_INVALID_ARG_TYPE',
      });
    },
    crypto: {
      randomUUID: () => uuid(random),
      getRandomValues: (/** @type {any} */ array) => fill(array, random),
      get subtle() {
        return extras().subtle;
      },
    },
    performance: { now: () => now() - started },
  });
  installLanguage();
  // Compiled `using` statements use these symbols.
  for (const name of ['dispose', 'asyncDispose']) /** @type {any} */ (Symbol)[name] ??= Symbol.for(`Symbol.${name}`);
  // Node's own would not wait on the host, as the timers of the guest do.
  if ('AbortSignal' in globalThis) globalThis.AbortSignal.timeout = (delay) => extras().abortAfter(delay);
  for (const name of EXTRAS) if (!(name in globalThis)) addLate(name, () => extras()[name]);
  for (const name of STREAMS) if (!(name in globalThis)) addLate(name, () => lateModule('stream/web')[name]);
  for (const name of ['WeakRef', 'FinalizationRegistry']) addLate(name, () => extras()[name]);
  if (!('Buffer' in globalThis)) addLate('Buffer', () => lateModule('buffer').Buffer);
  return {
    pendingTimers,
    /** @param {number} seed */
    start(seed) {
      parsing.start();
      seedWith(seed);
      started = now();
    },
  };
}

/** A promise in JSON would be `{}`, and in a text `[object Promise]`: the program has forgotten to await it. */
function refusePromises() {
  const value = () => {
    throw new TypeError(`A Promise is used as a value. ${AWAIT_IT}`);
  };
  for (const name of ['toJSON', Symbol.toPrimitive]) {
    Object.defineProperty(Promise.prototype, name, { value, writable: true, configurable: true });
  }
}

/**
 * Replaces `JSON.parse`. Results of tools are data already, and programs often parse them again. A whole number beyond 2^53 keeps its
 * digits.
 * @param {(text: string) => void} warn
 */
function replaceParse(warn) {
  let hasWarned = false;
  const onDigits = () => {
    if (!hasWarned) warn(DIGITS);
    hasWarned = true;
  };
  JSON.parse = (/** @type {any} */ text, /** @type {any} */ reviver) => {
    try {
      return parseDigits(text, reviver, onDigits);
    } catch (error) {
      if (typeof text !== 'object' || text === null) throw error;
      throw new SyntaxError(
        'JSON.parse takes text, not an object. Results of tools are parsed already: use the value as it is.',
      );
    }
  };
  return {
    start: () => {
      hasWarned = false;
    },
  };
}

/**
 * Adds a global that is created at the first read.
 * @param {string} name
 * @param {() => unknown} make
 */
function addLate(name, make) {
  const settle = (/** @type {unknown} */ value) => {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
    return value;
  };
  Object.defineProperty(globalThis, name, { get: () => settle(make()), set: settle, configurable: true });
}

/** @param {Record<string, unknown>} values */
function addMissing(values) {
  for (const [name, value] of Object.entries(values)) {
    if (name in globalThis) continue;
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
}

/**
 * Creates timers that wait on the host: the guest has no event loop of its own.
 * @param {Ask} ask
 */
function timers(ask) {
  /** @type {Set<number>} */
  const live = new Set();
  let last = 0;
  const start = (/** @type {() => void} */ callback, /** @type {number} */ delay, /** @type {boolean} */ repeat) => {
    const id = ++last;
    live.add(id);
    const tick = () => {
      if (!live.has(id)) return;
      if (repeat) wait();
      else live.delete(id);
      callback();
    };
    const wait = () => void ask('sleep', delayOf(delay)).then(tick);
    wait();
    return id;
  };
  const stop = (/** @type {number} */ id) => void live.delete(id);
  const globals = {
    setTimeout: (/** @type {any} */ task, /** @type {number} */ delay, /** @type {unknown[]} */ ...values) =>
      start(() => task(...values), delay, false),
    setInterval: (/** @type {any} */ task, /** @type {number} */ delay, /** @type {unknown[]} */ ...values) =>
      start(() => task(...values), delay, true),
    setImmediate: (/** @type {any} */ task, /** @type {unknown[]} */ ...values) =>
      start(() => task(...values), 0, false),
    clearTimeout: stop,
    clearInterval: stop,
    clearImmediate: stop,
  };
  const { setTimeout, setImmediate } = globals;
  forPromisify(
    setTimeout,
    (/** @type {number} */ delay, /** @type {unknown} */ value) =>
      new Promise((resolve) => setTimeout(resolve, delay, value)),
  );
  forPromisify(setImmediate, (/** @type {unknown} */ value) => new Promise((resolve) => setImmediate(resolve, value)));
  return { globals, pendingTimers: () => live.size };
}

/**
 * Says what `promisify` of `node:util` returns for a function whose callback is not its last argument.
 * @param {object} work
 * @param {(...values: any[]) => Promise<unknown>} promised
 */
function forPromisify(work, promised) {
  Object.defineProperty(work, Symbol.for('nodejs.util.promisify.custom'), { value: promised });
}

/**
 * Creates the mulberry32 generator: a run can be replayed from its seed. It is not for secrets.
 */
function seededRandom() {
  let state = 0;
  return {
    seedWith: (/** @type {number} */ seed) => {
      state = seed | 0;
    },
    random: () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
    },
  };
}

/** @param {() => number} random */
function uuid(random) {
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (kind) => {
    const digit = Math.floor(random() * 16);
    return (kind === 'x' ? digit : (digit & 3) | 8).toString(16);
  });
}

/**
 * @template {Uint8Array | Uint16Array | Uint32Array} T
 * @param {T} array
 * @param {() => number} random
 */
function fill(array, random) {
  if (!ArrayBuffer.isView(array) || array instanceof DataView || /Float/.test(array.constructor.name)) {
    const message = 'The data argument must be an integer-type TypedArray';
    throw new /** @type {any} */ (globalThis).DOMException(message, 'TypeMismatchError');
  }
  if (array.byteLength > MAX_RANDOM_BYTES) {
    const message = `The requested length exceeds ${MAX_RANDOM_BYTES} bytes`;
    throw new /** @type {any} */ (globalThis).DOMException(message, 'QuotaExceededError');
  }
  for (let index = 0; index < array.length; index++) array[index] = Math.floor(random() * 4_294_967_296);
  return array;
}

/**
 * Returns the milliseconds of a timer. As in a browser, what is no time is 0.
 * @param {unknown} delay
 */
export function delayOf(delay) {
  const milliseconds = Number(delay);
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : 0;
}
