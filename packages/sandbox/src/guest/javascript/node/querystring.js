// `node:querystring`.
import { compute } from '../engine.js';

/** @param {unknown} value */
function primitive(value) {
  const isText = typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean';
  return isText || (typeof value === 'number' && Number.isFinite(value)) ? String(value) : '';
}

/** @param {any} [values] @param {string} [separator] @param {string} [equals] */
export function stringify(values, separator, equals) {
  if (typeof values !== 'object' || values === null) return '';
  const plain = Object.entries(values).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(primitive) : primitive(value),
  ]);
  return compute('querystring.stringify', [Object.fromEntries(plain), separator, equals]);
}

/** @param {unknown} text @param {string} [separator] @param {string} [equals] @param {{ maxKeys?: number }} [options] */
export function parse(text, separator, equals, options) {
  return Object.assign(
    Object.create(null),
    compute('querystring.parse', [typeof text === 'string' ? text : '', separator, equals, options]),
  );
}

const escapeText = (/** @type {unknown} */ text) => compute('querystring.escape', [String(text)]);
const unescapeText = (/** @type {unknown} */ text) => compute('querystring.unescape', [String(text)]);

export { escapeText as escape, parse as decode, stringify as encode, unescapeText as unescape };
export default { parse, stringify, escape: escapeText, unescape: unescapeText, decode: parse, encode: stringify };
