// `node:url`: the globals, and the older functions.
import { compute } from '../engine.js';
import { resolve as absolute } from './path.js';
import { parse as parseQuery, stringify } from './querystring.js';

const { URL, URLSearchParams } = globalThis;

export { URL, URLSearchParams };

/** The result of the older `url.parse`. */
export class Url {
  format() {
    return format(this);
  }
}

/** @param {string} address @param {boolean} [withQuery] @param {boolean} [slashes] */
export function parse(address, withQuery = false, slashes = false) {
  if (typeof address !== 'string')
    throw invalid(`The "url" argument must be of type string. Received ${typeof address}`);
  const parts = Object.assign(new Url(), compute('url.legacyParse', [address, slashes]));
  if (withQuery) Object.assign(parts, { query: parseQuery(parts.query ?? ''), search: parts.search ?? '' });
  return parts;
}

/** @param {any} address @param {object} [options] */
export function format(address, options) {
  if (address instanceof URL) return compute('url.format', [address.href, options]);
  if (typeof address === 'string') return parse(address).format();
  if (typeof address !== 'object' || address === null)
    throw invalid('The "urlObject" argument must be one of type object or string.');
  const { query, search } = address;
  const text = typeof query === 'object' && query !== null && !search ? stringify(query) : undefined;
  return compute('url.legacyFormat', [{ ...address, ...(text === undefined ? {} : { query: null, search: text }) }]);
}

export const resolve = (/** @type {string} */ from, /** @type {string} */ to) => compute('url.resolve', [from, to]);
export const domainToASCII = (/** @type {unknown} */ name) => compute('url.toASCII', [String(name)]);
export const domainToUnicode = (/** @type {unknown} */ name) => compute('url.toUnicode', [String(name)]);

/** @param {string} path */
export function pathToFileURL(path) {
  const url = new URL('file:///');
  const folder = path.endsWith('/') && path !== '/' ? '/' : '';
  url.pathname = `${absolute(path)}${folder}`.replace(/[%\\\n\r\t?#]/g, encodeURIComponent);
  return url;
}

/** @param {string | URL} address */
export function fileURLToPath(address) {
  const url = typeof address === 'string' ? new URL(address) : address;
  if (!(url instanceof URL)) throw invalid('The "path" argument must be of type string or an instance of URL.');
  if (url.protocol !== 'file:') throw invalid('The URL must be of scheme file', 'ERR_INVALID_URL_SCHEME');
  if (url.hostname !== '') throw invalid('File URL host must be "localhost" or empty', 'ERR_INVALID_FILE_URL_HOST');
  if (/%2f/i.test(url.pathname))
    throw invalid('File URL path must not include encoded / characters', 'ERR_INVALID_FILE_URL_PATH');
  return decodeURIComponent(url.pathname);
}

/** @param {URL} url */
export function urlToHttpOptions(url) {
  const { protocol, hostname, port, pathname, search, hash, href } = url;
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  const options = { protocol, hostname: host, hash, search, pathname, path: `${pathname}${search}`, href };
  const auth = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { ...options, ...(port === '' ? {} : { port: Number(port) }), ...(auth === ':' ? {} : { auth }) };
}

/** @param {string} message @param {string} [code] */
function invalid(message, code = 'ERR_INVALID_ARG_TYPE') {
  return Object.assign(new TypeError(message), { code });
}

export default {
  ...{ Url, URL, URLSearchParams, parse, format, resolve, domainToASCII, domainToUnicode },
  ...{ pathToFileURL, fileURLToPath, urlToHttpOptions },
};
