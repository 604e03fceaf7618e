// Pure functions of Node that the guests use, with JSON text and bytes only: what Node answers is right, and the same in every
// sandbox. They read no file, no clock and no randomness.
'use strict';
const { parse, stringify } = JSON;

/** The members of a URL that a program reads. */
const URL_PARTS = /** @type {const} */ ([
  ...['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'],
]);
/** Stands for `undefined` among the arguments. */
const ABSENT = '\u0000undefined';

/** @typedef {(args: any[], bytes: Uint8Array) => unknown} Computation */

/** @param {URL} url */
function partsOf(url) {
  return Object.fromEntries(URL_PARTS.map((part) => [part, url[part]]));
}

/** @type {Record<string, Computation>} */
const COMPUTATIONS = {
  'url.parse': ([address, base]) => partsOf(new URL(address, base)),
  'url.set': ([href, part, value]) => partsOf(Object.assign(new URL(href), { [part]: value })),
  'params.parse': ([text]) => [...new URLSearchParams(text)],
  'params.text': ([pairs]) => new URLSearchParams(pairs).toString(),
};

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
