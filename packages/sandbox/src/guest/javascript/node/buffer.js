// `node:buffer` for engines that lack it. Node converts texts, so that every encoding is right.
import * as untyped from 'buffer/';
import { compute } from '../engine.js';

const library = /** @type {any} */ (untyped);
const { Buffer } = library;
const { from, byteLength, isEncoding } = Buffer;
const { write } = Buffer.prototype;

/** @param {unknown} encoding */
function nameOf(encoding) {
  const name = encoding === undefined || encoding === null || encoding === '' ? 'utf8' : String(encoding).toLowerCase();
  if (Buffer.isEncoding(name)) return name;
  throw Object.assign(new TypeError(`Unknown encoding: ${encoding}`), { code: 'ERR_UNKNOWN_ENCODING' });
}

/** @param {string} text @param {unknown} encoding */
function encode(text, encoding) {
  const known = typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : undefined;
  return from(compute('buffer.bytes', [text, encoding === undefined ? 'utf8' : (known ?? nameOf(encoding))]).buffer);
}

Buffer.isEncoding = (/** @type {any} */ name) => isEncoding(name) || String(name).toLowerCase() === 'base64url';
/** @param {any} value @param {any[]} rest */
function fromValue(value, ...rest) {
  if (typeof value === 'string') return encode(value, rest[0]);
  try {
    return /** @type {any} */ (from)(value, ...rest);
  } catch (error) {
    throw Object.assign(/** @type {Error} */ (error), { code: 'ERR_INVALID_ARG_TYPE' });
  }
}
Buffer.from = /** @type {any} */ (fromValue);
Buffer.byteLength = (/** @type {any} */ value, /** @type {any} */ encoding) =>
  typeof value === 'string' && encoding !== undefined ? encode(value, encoding).length : byteLength(value, encoding);
Object.assign(Buffer.prototype, {
  /** @this {any} @param {any} [encoding] @param {any} [start] @param {any} [end] */
  toString(encoding, start = 0, end = this.length) {
    return compute('buffer.text', [nameOf(encoding)], this.subarray(Math.max(0, start), Math.max(0, end)));
  },
  /** @this {any} @param {string} text @param {any[]} rest */
  write(text, ...rest) {
    const encoding = typeof rest.at(-1) === 'string' ? rest.pop() : undefined;
    if (encoding?.toLowerCase() !== 'base64url') return write.call(this, text, ...rest, encoding);
    return encode(text, encoding).copy(this, rest[0] ?? 0, 0, rest[1]);
  },
});
Buffer.prototype.toLocaleString = Buffer.prototype.toString;
// The bundle gives it another name.
Object.defineProperty(Buffer, 'name', { value: 'Buffer' });
// As in Node, these accept other bytes too.
for (const name of ['copy', 'equals', 'indexOf', 'lastIndexOf']) {
  const method = Buffer.prototype[name];
  /** @this {any} @param {any} value @param {any[]} rest */
  Buffer.prototype[name] = function (value, ...rest) {
    const isOther = value instanceof Uint8Array && !Buffer.isBuffer(value);
    try {
      return method.call(this, isOther ? from(value.buffer, value.byteOffset, value.byteLength) : value, ...rest);
    } catch (error) {
      throw error instanceof TypeError ? Object.assign(error, { code: 'ERR_INVALID_ARG_TYPE' }) : error;
    }
  };
}

/** @param {Uint8Array} bytes @param {string} from @param {string} to */
function transcode(bytes, from, to) {
  return encode(compute('buffer.text', [nameOf(from)], bytes), to);
}

/** @param {Uint8Array} bytes */
const isUtf8 = (bytes) => Buffer.from(Buffer.from(bytes).toString('utf8')).equals(Buffer.from(bytes));
/** @param {Uint8Array} bytes */
const isAscii = (bytes) => bytes.every((byte) => byte < 128);
const constants = { MAX_LENGTH: library.kMaxLength, MAX_STRING_LENGTH: 2 ** 29 - 24 };
const { INSPECT_MAX_BYTES, kMaxLength } = library;
const { atob, btoa, Blob, File } = /** @type {any} */ (globalThis);

export { atob, Blob, Buffer, btoa, constants, File, INSPECT_MAX_BYTES, isAscii, isUtf8, kMaxLength, transcode };
export default { atob, btoa, Blob, File, Buffer, constants, INSPECT_MAX_BYTES, isAscii, isUtf8, kMaxLength, transcode };
