// `node:zlib`: whole texts and bytes. Node compresses; its output is bounded. A stream converts all its input at its end.
import { Buffer } from 'node:buffer';
import { Transform } from 'node:stream';
import { compute } from '../engine.js';

/** @param {unknown} data */
function bytesOf(data) {
  if (typeof data === 'string') return Buffer.from(data);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const message =
    'The "buffer" argument must be of type string or an instance of Buffer, TypedArray, DataView, or ArrayBuffer.';
  throw Object.assign(new TypeError(message), { code: 'ERR_INVALID_ARG_TYPE' });
}

/** @param {string} name */
function pair(name) {
  const now = (/** @type {unknown} */ data, /** @type {any} */ { level, params, maxOutputLength } = {}) =>
    Buffer.from(compute('zlib', [name, { level, params, maxOutputLength }], bytesOf(data)).buffer);
  const later = (/** @type {unknown} */ data, /** @type {any[]} */ ...rest) => {
    const callback = rest.pop();
    if (typeof callback !== 'function')
      throw Object.assign(new TypeError('The "callback" argument must be of type function.'), {
        code: 'ERR_INVALID_ARG_TYPE',
      });
    const input = bytesOf(data);
    queueMicrotask(() => {
      let output;
      try {
        output = now(input, ...rest);
      } catch (error) {
        return callback(error);
      }
      callback(null, output);
    });
  };
  return { [name]: later, [`${name}Sync`]: now };
}

/** Returns the class of a stream that converts all its input at its end, and the function that creates one. @param {string} name */
function streamOf(name) {
  const title = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  const convert = functions[`${name}Sync`];
  class Converter extends Transform {
    /** @param {any} [options] */
    constructor(options) {
      /** @type {Uint8Array[]} */
      const pieces = [];
      super({
        transform(/** @type {any} */ piece, /** @type {any} */ _encoding, /** @type {any} */ done) {
          pieces.push(bytesOf(piece));
          done();
        },
        flush(/** @type {any} */ done) {
          try {
            done(null, convert(Buffer.concat(pieces), options));
          } catch (error) {
            done(error);
          }
        },
      });
    }
  }
  Object.defineProperty(Converter, 'name', { value: title });
  return { [title]: Converter, [`create${title}`]: (/** @type {any} */ options) => new Converter(options) };
}

/** The functions that convert whole values, each with a form that takes a callback. */
const CONVERSIONS = [
  ...['gzip', 'gunzip', 'deflate', 'inflate', 'deflateRaw', 'inflateRaw', 'unzip'],
  ...['brotliCompress', 'brotliDecompress'],
];
/** @type {any} */
const functions = Object.assign({}, ...CONVERSIONS.map(pair));
Object.assign(functions, ...CONVERSIONS.map(streamOf));
functions.constants = compute('zlib.constants', []);
functions.crc32 = (/** @type {unknown} */ data, /** @type {number} */ value = 0) =>
  compute('crc32', [value], bytesOf(data));
export default functions;
export const {
  gzip,
  gzipSync,
  gunzip,
  gunzipSync,
  deflate,
  deflateSync,
  inflate,
  inflateSync,
  deflateRaw,
  deflateRawSync,
  inflateRaw,
  inflateRawSync,
  unzip,
  unzipSync,
  brotliCompress,
  brotliCompressSync,
  brotliDecompress,
  brotliDecompressSync,
  constants,
  crc32,
  Gzip,
  Gunzip,
  Deflate,
  Inflate,
  DeflateRaw,
  InflateRaw,
  Unzip,
  BrotliCompress,
  BrotliDecompress,
  createGzip,
  createGunzip,
  createDeflate,
  createInflate,
  createDeflateRaw,
  createInflateRaw,
  createUnzip,
  createBrotliCompress,
  createBrotliDecompress,
} = functions;
