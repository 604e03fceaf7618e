// URL and URLSearchParams for engines that lack them: absolute and relative http-like addresses, without
// internationalised host names.

const PATTERN = /^([a-z][a-z\d+.-]*:)\/\/(?:([^/?#@]*)@)?([^/?#:]*)(?::(\d+))?([^?#]*)(\?[^#]*)?(#.*)?$/i;
const DEFAULT_PORTS = /** @type {Record<string, string>} */ ({ 'http:': '80', 'https:': '443' });

/** The query part of an address, as an ordered list of pairs. */
export class URLSearchParams {
  /** @type {[string, string][]} */
  #pairs = [];

  /** @param {any} [init] */
  constructor(init = '') {
    if (typeof init === 'string') {
      for (const part of init.replace(/^\?/, '').split('&').filter(Boolean)) {
        const [name = '', ...rest] = part.split('=');
        this.append(decode(name), decode(rest.join('=')));
      }
    } else {
      const pairs = typeof init[Symbol.iterator] === 'function' ? init : Object.entries(init);
      for (const [name, value] of pairs) this.append(name, value);
    }
  }
  get size() {
    return this.#pairs.length;
  }
  /** @param {unknown} name @param {unknown} value */
  append(name, value) {
    this.#pairs.push([String(name), String(value)]);
  }
  /** @param {string} name */
  get(name) {
    return this.#pairs.find(([key]) => key === name)?.[1] ?? null;
  }
  /** @param {string} name */
  getAll(name) {
    return this.#pairs.filter(([key]) => key === name).map(([, value]) => value);
  }
  /** @param {string} name */
  has(name) {
    return this.#pairs.some(([key]) => key === name);
  }
  /** @param {string} name @param {unknown} value */
  set(name, value) {
    const index = this.#pairs.findIndex(([key]) => key === name);
    if (index < 0) return this.append(name, value);
    this.#pairs = this.#pairs.filter(([key], at) => key !== name || at === index);
    this.#pairs[index] = [name, String(value)];
  }
  /** @param {string} name */
  delete(name) {
    this.#pairs = this.#pairs.filter(([key]) => key !== name);
  }
  sort() {
    this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  }
  /** @param {(value: string, name: string) => void} visit */
  forEach(visit) {
    for (const [name, value] of this.#pairs) visit(value, name);
  }
  keys() {
    return this.#pairs.map(([name]) => name)[Symbol.iterator]();
  }
  values() {
    return this.#pairs.map(([, value]) => value)[Symbol.iterator]();
  }
  entries() {
    return this.#pairs.map(([name, value]) => /** @type {[string, string]} */ ([name, value]))[Symbol.iterator]();
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  toString() {
    return this.#pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  }
}

/** An address. Raises `TypeError` when the text is not one. */
export class URL {
  /** @param {unknown} address @param {unknown} [base] */
  constructor(address, base) {
    const match = PATTERN.exec(base === undefined ? String(address) : resolve(String(address), new URL(base)));
    if (!match) throw new TypeError(`Invalid URL: ${String(address)}`);
    const [, protocol = '', credentials = '', hostname = '', port = '', path = '', search = '', hash = ''] = match;
    const [username = '', password = ''] = credentials.split(':');
    this.protocol = protocol.toLowerCase();
    this.username = username;
    this.password = password;
    this.hostname = hostname.toLowerCase();
    this.port = port === DEFAULT_PORTS[this.protocol] ? '' : port;
    this.pathname = encodeURI(decodeURISafely(normalise(path)));
    this.hash = hash.length > 1 ? hash : '';
    this.searchParams = new URLSearchParams(search);
  }
  /** @param {unknown} address @param {unknown} [base] */
  static canParse(address, base) {
    try {
      return Boolean(new URL(address, base));
    } catch {
      return false;
    }
  }
  get host() {
    return this.port ? `${this.hostname}:${this.port}` : this.hostname;
  }
  get origin() {
    return `${this.protocol}//${this.host}`;
  }
  get search() {
    return this.searchParams.size > 0 ? `?${this.searchParams}` : '';
  }
  set search(text) {
    this.searchParams = new URLSearchParams(text);
  }
  get href() {
    const secret = this.password ? `:${this.password}` : '';
    const credentials = this.username || secret ? `${this.username}${secret}@` : '';
    return `${this.protocol}//${credentials}${this.host}${this.pathname}${this.search}${this.hash}`;
  }
  toString() {
    return this.href;
  }
  toJSON() {
    return this.href;
  }
}

/** @param {string} address @param {URL} base */
function resolve(address, base) {
  if (/^[a-z][a-z\d+.-]*:/i.test(address)) return address;
  if (address.startsWith('//')) return base.protocol + address;
  if (address.startsWith('/')) return base.origin + address;
  if (address.startsWith('?')) return base.origin + base.pathname + address;
  if (address.startsWith('#')) return base.origin + base.pathname + base.search + address;
  return `${base.origin}${base.pathname.replace(/[^/]*$/, '')}${address}`;
}

/** @param {string} path */
function normalise(path) {
  /** @type {string[]} */
  const kept = [];
  const parts = path.split('/').slice(1);
  for (const part of parts) {
    if (part === '..') kept.pop();
    else if (part !== '.') kept.push(part);
  }
  if (['.', '..'].includes(parts.at(-1) ?? '')) kept.push('');
  return `/${kept.join('/')}`;
}

/** @param {string} text */
function decodeURISafely(text) {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** @param {string} text */
function encode(text) {
  return encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replaceAll(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
