// Less used parts of the web platform, for engines that lack them.
import { compute } from './engine.js';

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

/** UTF-8 decoder; broken sequences become U+FFFD. */
export class TextDecoder {
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
