// Less used parts of the web platform, for engines that lack them.
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

/** @param {string} text */
export function atob(text) {
  let binary = '';
  for (const byte of fromBase64(String(text))) binary += String.fromCharCode(byte);
  return binary;
}

/** @param {string} text */
export function btoa(text) {
  return toBase64(Uint8Array.from(String(text), latin1));
}

/** @param {string} character */
function latin1(character) {
  const code = character.charCodeAt(0);
  if (code > 255) throw new TypeError('btoa takes Latin-1 text only; encode with TextEncoder first');
  return code;
}

/**
 * Returns a deep copy, cycles included. Raises `TypeError` for functions and symbols.
 * @param {any} source
 * @param {Map<unknown, unknown>} [seen]
 * @returns {any}
 */
export function structuredClone(source, seen = new Map()) {
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
    for (const [key, value] of source) copy.set(structuredClone(key, seen), structuredClone(value, seen));
    return copy;
  }
  if (source instanceof Set) {
    const copy = keep(new Set());
    for (const value of source) copy.add(structuredClone(value, seen));
    return copy;
  }
  const copy = keep(Array.isArray(source) ? [] : source instanceof Error ? new Error(source.message) : {});
  for (const key of Object.keys(source)) {
    Object.defineProperty(copy, key, {
      value: structuredClone(source[key], seen),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return copy;
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
