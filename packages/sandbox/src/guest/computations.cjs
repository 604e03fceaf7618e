// Pure functions of Node that the guests use, with JSON text and bytes only. So every sandbox answers as Node does. They read no file, no clock and no randomness.
'use strict';
const { Buffer, atob, btoa } = require('node:buffer');
const { posix, win32 } = require('node:path');
const querystring = require('node:querystring');
const legacyUrl = require('node:url');

const { parse, stringify } = JSON;

/** The members of a URL that a program reads. */
const URL_PARTS = /** @type {const} */ ([
  ...['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'],
]);
/** Stands for `undefined` among the arguments. */
const ABSENT = '\u0000undefined';

/** @typedef {(args: any[], bytes: Uint8Array) => unknown} Computation */

// They take milliseconds to load, and few programs use them.
const crypto = () => require('node:crypto');
const util = () => /** @type {any} */ (require('node:util'));
const zlib = () => require('node:zlib');
const locale = () => require('./locale.cjs');
const WORKSPACE = '/workspace';
const MAX_HASH_BYTES = 1024 * 1024;
/** Bytes that decompression may return: a small input can hold far more than a guest has memory. */
const MAX_INFLATED_BYTES = 64 * 1024 * 1024;
/** Functions that see neither the current folder nor the environment of this process. */
const PATH_FUNCTIONS = /** @type {const} */ ([
  ...['basename', 'dirname', 'extname', 'format', 'isAbsolute', 'join', 'normalize', 'parse'],
]);
const ZLIB_FUNCTIONS = new Set([
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
  ],
]);

/** The characters of the bytes 0x80 to 0x9f in Windows-1252. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
/** Some versions of Node decode Windows-1252, also named latin1 and ascii, as ISO-8859-1: the euro sign and quotation marks are lost. */
if (new TextDecoder('windows-1252').decode(Uint8Array.of(0x80)) !== '€') {
  const { decode } = TextDecoder.prototype;
  TextDecoder.prototype.decode = function (...args) {
    const text = decode.apply(this, args);
    if (this.encoding !== 'windows-1252') return text;
    return text.replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80] ?? character);
  };
}

/** @param {unknown[]} paths */
const absolute = (...paths) => posix.resolve(WORKSPACE, .../** @type {string[]} */ (paths));

/** @param {URL} url */
function partsOf(url) {
  return Object.fromEntries(URL_PARTS.map((part) => [part, url[part]]));
}

/** @type {Record<string, Computation>} */
const COMPUTATIONS = {
  decoder: ([label, options]) => new TextDecoder(label, options).encoding,
  decode: ([label, options, isOpen], bytes) => new TextDecoder(label, options).decode(bytes, { stream: isOpen }),
  atob: ([text]) => atob(text),
  btoa: ([text]) => btoa(text),
  'url.parse': ([address, base]) => partsOf(new URL(address, base)),
  'url.set': ([href, part, value]) => partsOf(Object.assign(new URL(href), { [part]: value })),
  'params.parse': ([text]) => [...new URLSearchParams(text)],
  'params.text': ([pairs]) => new URLSearchParams(pairs).toString(),
  'url.format': ([href, options]) => legacyUrl.format(new URL(href), options),
  'url.legacyParse': ([address, slashes]) => ({ ...legacyUrl.parse(address, false, slashes) }),
  'url.legacyFormat': ([parts]) => legacyUrl.format(parts),
  'url.resolve': ([from, to]) => legacyUrl.resolve(from, to),
  'url.toASCII': ([name]) => legacyUrl.domainToASCII(name),
  'url.toUnicode': ([name]) => legacyUrl.domainToUnicode(name),
  'path.posix.resolve': (paths) => absolute(...paths),
  'path.posix.relative': ([from, to]) => posix.relative(absolute(from), absolute(to)),
  'path.posix.toNamespacedPath': ([path]) => path,
  'querystring.parse': ([text, separator, equals, options]) => querystring.parse(text, separator, equals, options),
  'querystring.stringify': ([values, separator, equals]) => querystring.stringify(values, separator, equals),
  'querystring.escape': ([text]) => querystring.escape(text),
  'querystring.unescape': ([text]) => querystring.unescape(text),
  'buffer.text': ([encoding], bytes) => Buffer.from(bytes.buffer).toString(encoding),
  'buffer.bytes': ([text, encoding]) => Buffer.from(text, encoding),
  hash: ([algorithm, outputLength], bytes) => {
    if (outputLength > MAX_HASH_BYTES) throw new RangeError(`A hash has at most ${MAX_HASH_BYTES} bytes.`);
    return crypto().createHash(algorithm, { outputLength }).update(bytes).digest();
  },
  hmac: ([algorithm, keyBytes], bytes) =>
    crypto().createHmac(algorithm, bytes.subarray(0, keyBytes)).update(bytes.subarray(keyBytes)).digest(),
  hashes: () => crypto().getHashes(),
  zlib: ([name, { level, params = {}, maxOutputLength = MAX_INFLATED_BYTES }], bytes) => {
    if (!ZLIB_FUNCTIONS.has(name)) throw new TypeError(`There is no function "${name}".`);
    const { BROTLI_PARAM_MODE: mode, BROTLI_PARAM_QUALITY: quality } = zlib().constants;
    // Other parameters reserve memory.
    const kept = Object.fromEntries([mode, quality].flatMap((key) => (key in params ? [[key, params[key]]] : [])));
    const most = Math.min(maxOutputLength, MAX_INFLATED_BYTES);
    return /** @type {any} */ (zlib())[`${name}Sync`](bytes, { level, params: kept, maxOutputLength: most });
  },
  'util.parseArgs': ([options]) => util().parseArgs(options),
  'util.styleText': ([style, text]) => util().styleText(style, text),
  'zlib.constants': () => zlib().constants,
  crc32: ([value], bytes) => crc32(bytes, value),
  locale: ([question]) => locale().answerLocale(question),
};
for (const name of PATH_FUNCTIONS) {
  COMPUTATIONS[`path.posix.${name}`] = (args) => /** @type {any} */ (posix)[name](...args);
  COMPUTATIONS[`path.win32.${name}`] = (args) => /** @type {any} */ (win32)[name](...args);
}

/** Node 20 has none. @param {Uint8Array} bytes @param {number} start */
function crc32(bytes, start) {
  let crc = ~start;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** @param {any} error */
function faultOf({ name, message, code }) {
  return { name: String(name), message: String(message), code };
}

/**
 * Computes one function. Returns its value as JSON text: `{"value": …}` or `{"error": …}`. Bytes are returned as they are.
 * @param {string} name
 * @param {string} args JSON text of a list
 * @param {ArrayBuffer} [bytes]
 * @returns {string | ArrayBuffer}
 */
function compute(name, args, bytes) {
  try {
    const known = Object.hasOwn(COMPUTATIONS, name) ? COMPUTATIONS[name] : undefined;
    if (!known) throw new TypeError(`There is no function "${name}".`);
    const given = parse(args).map((/** @type {unknown} */ value) => (value === ABSENT ? undefined : value));
    const value = known(given, bytes ? new Uint8Array(bytes) : new Uint8Array());
    if (!(value instanceof Uint8Array)) return stringify({ value });
    const { buffer, byteOffset, byteLength } = value;
    return /** @type {ArrayBuffer} */ (buffer).slice(byteOffset, byteOffset + byteLength);
  } catch (error) {
    return stringify({ error: faultOf(error) });
  }
}

module.exports = { compute };
