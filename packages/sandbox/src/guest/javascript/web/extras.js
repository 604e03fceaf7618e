// Less used parts of the web platform, for engines that lack them.
import { compute } from '../engine.js';

export * from './abort.js';
export { abortAfter } from './abort-after.js';
export * from './blob.js';
export { structuredClone } from './clone.js';
export { subtle } from './subtle.js';
export { parseUrl, URL, URLSearchParams } from './url.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/**
 * Encodes bytes as base64.
 * @param {Uint8Array} bytes
 */
export function toBase64(bytes) {
  let text = '';
  for (let index = 0; index < bytes.length; index += 3) {
    const [a = 0, b = 0, c = 0] = [bytes[index], bytes[index + 1], bytes[index + 2]];
    const triple = (a << 16) | (b << 8) | c;
    text += ALPHABET.charAt(triple >> 18) + ALPHABET.charAt((triple >> 12) & 63);
    text += index + 1 < bytes.length ? ALPHABET.charAt((triple >> 6) & 63) : '=';
    text += index + 2 < bytes.length ? ALPHABET.charAt(triple & 63) : '=';
  }
  return text;
}

/**
 * Decodes base64. Raises `TypeError` for other characters.
 * @param {string} text
 */
export function fromBase64(text) {
  const clean = text.replace(/[\s=]+/g, '');
  const bytes = new Uint8Array(Math.floor((clean.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let length = 0;
  for (const character of clean) {
    const value = ALPHABET.indexOf(character);
    if (value < 0) throw new TypeError(`"${character}" is not a base64 character`);
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[length++] = (held >> bits) & 0xff;
    }
  }
  return bytes;
}

/** @param {unknown[]} given a text in base64 */
export function atob(...given) {
  return base64('atob', given);
}

/** @param {unknown[]} given a text of bytes */
export function btoa(...given) {
  return base64('btoa', given);
}

/** @param {string} name @param {readonly unknown[]} given */
function base64(name, given) {
  if (given.length > 0) return compute(name, [String(given[0])]);
  throw Object.assign(new TypeError('The "input" argument must be specified'), { code: 'ERR_MISSING_ARGS' });
}

/** UTF-8 encoder. */
export class TextEncoder {
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
  /** @param {string} text @param {Uint8Array} target */
  encodeInto(text, target) {
    let [read, written] = [0, 0];
    for (const character of String(text)) {
      const bytes = this.encode(character);
      if (written + bytes.length > target.length) break;
      target.set(bytes, written);
      read += character.length;
      written += bytes.length;
    }
    return { read, written };
  }
}

/** Decoder of every encoding of the web. Node decodes. */
export class TextDecoder {
  #label;
  #options;
  /** The bytes of a stream so far, and the number of characters that were returned. @type {{ bytes: Uint8Array, returned: number }} */
  #stream = { bytes: new Uint8Array(), returned: 0 };

  /** @param {unknown} [label] @param {{ fatal?: unknown, ignoreBOM?: unknown }} [options] */
  constructor(label = 'utf-8', options = {}) {
    this.#label = String(label);
    this.fatal = Boolean(options?.fatal);
    this.ignoreBOM = Boolean(options?.ignoreBOM);
    this.#options = { fatal: this.fatal, ignoreBOM: this.ignoreBOM };
    this.encoding = compute('decoder', [this.#label, this.#options]);
  }
  /** @param {unknown} [input] @param {{ stream?: unknown }} [options] */
  decode(input = new Uint8Array(), options = {}) {
    const more = viewOf(input);
    const { bytes, returned } = this.#stream;
    const all = new Uint8Array(bytes.length + more.length);
    all.set(bytes);
    all.set(more, bytes.length);
    const isOpen = Boolean(options?.stream);
    this.#stream = { bytes: new Uint8Array(), returned: 0 };
    const text = compute('decode', [this.#label, this.#options, isOpen], all);
    if (isOpen) this.#stream = { bytes: all, returned: text.length };
    return text.slice(returned);
  }
}

/** @param {any} input */
function viewOf(input) {
  if (input instanceof ArrayBuffer) return new Uint8Array(input);
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  throw Object.assign(new TypeError('The "list" argument must be an instance of ArrayBuffer or ArrayBufferView.'), {
    code: 'ERR_INVALID_ARG_TYPE',
  });
}

/** Holds its value: whether it was collected must not depend on the run. */
class StrongRef {
  #value;
  /** @param {object} value */
  constructor(value) {
    this.#value = value;
  }
  deref() {
    return this.#value;
  }
}

/** Calls nothing: when values are collected must not depend on the run. */
class NoFinalization {
  register() {}
  unregister() {
    return false;
  }
}

export { NoFinalization as FinalizationRegistry, StrongRef as WeakRef };
