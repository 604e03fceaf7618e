// `node:zlib`: whole texts and bytes. Node compresses; its output is bounded.
import { Buffer } from 'node:buffer';
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

/** @param {string} name @param {string} use */
function absent(name, use) {
  return () => {
    throw new Error(`zlib.${name} is not available: a program compresses whole values. Use ${use}.`);
  };
}

/** @type {any} */
const functions = Object.assign(
  {},
  ...[
    'gzip',
    'gunzip',
    'deflate',
    'inflate',
    'deflateRaw',
    'inflateRaw',
    'unzip',
    'brotliCompress',
    'brotliDecompress',
  ].map(pair),
);
functions.constants = compute('zlib.constants', []);
functions.crc32 = (/** @type {unknown} */ data, /** @type {number} */ value = 0) =>
  compute('crc32', [value], bytesOf(data));
functions.createGzip = absent('createGzip', 'gzipSync(data)');
functions.createGunzip = absent('createGunzip', 'gunzipSync(bytes)');
functions.createDeflate = absent('createDeflate', 'deflateSync(data)');
functions.createInflate = absent('createInflate', 'inflateSync(bytes)');

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
  createGzip,
  createGunzip,
  createDeflate,
  createInflate,
} = functions;
