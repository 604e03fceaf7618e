// The parts of the web platform that programs take for granted and a bare engine lacks. Only what is missing is added.
import { fromBase64, toBase64 } from './files.js';
import { URL, URLSearchParams } from './url.js';

/** @typedef {(operation: string, ...parameters: unknown[]) => Promise<any>} Ask */

/**
 * Adds the missing globals.
 * @param {{ ask: Ask, seed: number, epochMs: number }} options
 */
export function installPlatform({ ask, seed, epochMs }) {
  const random = seededRandom(seed);
  Math.random = random;
  shiftClock(epochMs - Date.now());
  if (typeof Intl === 'undefined') Number.prototype.toLocaleString = groupDigits;
  addMissing({
    ...timers(ask),
    queueMicrotask: (/** @type {() => void} */ task) => void Promise.resolve().then(task),
    structuredClone: clone,
    TextEncoder,
    TextDecoder,
    URL,
    URLSearchParams,
    atob: (/** @type {string} */ text) => String.fromCharCode(...fromBase64(String(text))),
    btoa: (/** @type {string} */ text) => toBase64(Uint8Array.from(String(text), latin1)),
    crypto: { randomUUID: () => uuid(random), getRandomValues: (/** @type {any} */ array) => fill(array, random) },
    performance: { now: performanceClock() },
  });
  /** @type {any} */ (Array).fromAsync ??= fromAsync;
}

/** @param {Record<string, unknown>} values */
function addMissing(values) {
  for (const [name, value] of Object.entries(values)) {
    if (name in globalThis) continue;
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
}

/**
 * Timers wait on the host: the guest itself has no clock to wake it.
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
    const wait = () => void ask('sleep', Math.max(0, Number(delay) || 0)).then(tick);
    wait();
    return id;
  };
  const stop = (/** @type {number} */ id) => void live.delete(id);
  return {
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
}

/**
 * mulberry32: enough for programs, and a run can be replayed from its seed. Not for secrets.
 * @param {number} seed
 */
function seededRandom(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * A replayed run starts at the time of the first one.
 * @param {number} offsetMs
 */
function shiftClock(offsetMs) {
  if (Math.abs(offsetMs) < 1_000) return;
  const RealDate = Date;
  class ShiftedDate extends RealDate {
    constructor(/** @type {any[]} */ ...values) {
      if (values.length === 0) super(RealDate.now() + offsetMs);
      else super(.../** @type {[]} */ (values));
    }
    static now() {
      return RealDate.now() + offsetMs;
    }
  }
  globalThis.Date = /** @type {DateConstructor} */ (/** @type {unknown} */ (ShiftedDate));
}

function performanceClock() {
  const start = Date.now();
  return () => Date.now() - start;
}

/** @param {string} character */
function latin1(character) {
  const code = character.charCodeAt(0);
  if (code > 255) throw new TypeError('btoa takes Latin-1 text only; encode with TextEncoder first');
  return code;
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
  for (let index = 0; index < array.length; index++) array[index] = Math.floor(random() * 4_294_967_296);
  return array;
}

/**
 * Groups digits the English way; the engine has no locale data.
 * @this {number}
 * @param {unknown} _locales
 * @param {{ minimumFractionDigits?: number, maximumFractionDigits?: number }} [options]
 */
function groupDigits(_locales, options = {}) {
  const least = options.minimumFractionDigits ?? 0;
  const most = Math.max(least, options.maximumFractionDigits ?? Math.max(3, least));
  const [whole = '', fraction = ''] = Number(this).toFixed(most).split('.');
  let kept = fraction;
  while (kept.length > least && kept.endsWith('0')) kept = kept.slice(0, -1);
  return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (kept ? `.${kept}` : '');
}

/**
 * @param {any} source
 * @param {Map<unknown, unknown>} [seen]
 * @returns {any}
 */
function clone(source, seen = new Map()) {
  if (typeof source === 'function' || typeof source === 'symbol')
    throw new TypeError(`${typeof source} cannot be cloned`);
  if (typeof source !== 'object' || source === null) return source;
  if (seen.has(source)) return seen.get(source);
  const keep = (/** @type {any} */ copy) => {
    seen.set(source, copy);
    return copy;
  };
  if (source instanceof Date) return keep(new Date(source.getTime()));
  if (source instanceof RegExp) return keep(new RegExp(source.source, source.flags));
  if (source instanceof ArrayBuffer) return keep(source.slice(0));
  if (ArrayBuffer.isView(source)) return keep(/** @type {any} */ (source).slice());
  if (source instanceof Map) {
    const copy = keep(new Map());
    for (const [key, value] of source) copy.set(clone(key, seen), clone(value, seen));
    return copy;
  }
  if (source instanceof Set) {
    const copy = keep(new Set());
    for (const value of source) copy.add(clone(value, seen));
    return copy;
  }
  const copy = keep(Array.isArray(source) ? [] : source instanceof Error ? new Error(source.message) : {});
  for (const key of Object.keys(source)) {
    Object.defineProperty(copy, key, {
      value: clone(source[key], seen),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return copy;
}

/**
 * @param {AsyncIterable<unknown> | Iterable<unknown>} source
 * @param {(value: any, index: number) => unknown} [map]
 */
async function fromAsync(source, map) {
  const values = [];
  for await (const value of source) values.push(map ? await map(value, values.length) : value);
  return values;
}

class TextEncoder {
  encoding = 'utf-8';
  /** @param {string} text */
  encode(text = '') {
    /** @type {number[]} */
    const bytes = [];
    for (const character of String(text)) {
      const code = character.codePointAt(0) ?? 0;
      const point = code >= 0xd800 && code <= 0xdfff ? 0xfffd : code;
      if (point < 0x80) bytes.push(point);
      else if (point < 0x800) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 63));
      else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
      else {
        bytes.push(0xf0 | (point >> 18), 0x80 | ((point >> 12) & 63), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
      }
    }
    return Uint8Array.from(bytes);
  }
}

class TextDecoder {
  encoding = 'utf-8';
  /** @param {Uint8Array | ArrayBuffer} [input] */
  decode(input = new Uint8Array()) {
    const bytes = input instanceof ArrayBuffer ? new Uint8Array(input) : input;
    let text = '';
    for (let index = 0; index < bytes.length; ) {
      const lead = bytes[index++] ?? 0;
      const extra = lead < 0x80 ? 0 : lead >= 0xf0 && lead < 0xf5 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc2 ? 1 : -1;
      let point = extra === 0 ? lead : lead & (0x3f >> extra);
      let left = extra;
      for (; left > 0 && ((bytes[index] ?? 0) & 0xc0) === 0x80; left--)
        point = (point << 6) | ((bytes[index++] ?? 0) & 63);
      text += String.fromCodePoint(extra < 0 || left > 0 || point > 0x10ffff ? 0xfffd : point);
    }
    return text;
  }
}
