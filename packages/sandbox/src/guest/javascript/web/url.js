// URL and URLSearchParams for engines that lack them. Node parses and serialises, so that both answer as Node does.
import { compute } from '../engine.js';

const WRITABLE = ['href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'];
const READ_ONLY = ['origin'];
/** @type {(params: URLSearchParams, text: string, changed?: () => void) => void} */
let bind;

/** @param {unknown} value */
function text(value) {
  return /** @type {any} */ (String(value)).toWellFormed();
}

/** @param {readonly unknown[]} given @param {readonly string[]} names of required parameters */
function need(given, ...names) {
  if (given.length >= names.length) return;
  const message = `The ${names.map((name) => `"${name}"`).join(' and ')} argument must be specified`;
  throw Object.assign(new TypeError(message), { code: 'ERR_MISSING_ARGS' });
}

/** The query part of an address, as an ordered list of pairs. */
export class URLSearchParams {
  /** @type {[string, string][]} */
  #pairs = [];
  /** @type {() => void} */
  #changed = () => undefined;

  static {
    bind = (params, query, changed) => {
      params.#pairs = compute('params.parse', [query]);
      if (changed) params.#changed = changed;
    };
  }

  /** @param {any} [init] */
  constructor(init = undefined) {
    if (init === undefined || init === null) return;
    if (typeof init !== 'object' && typeof init !== 'function') {
      this.#pairs = compute('params.parse', [text(init)]);
      return;
    }
    const isList = typeof init[Symbol.iterator] === 'function';
    if (!isList && init[Symbol.iterator] !== undefined && init[Symbol.iterator] !== null)
      throw new TypeError('Query pairs must be iterable');
    this.#pairs = isList ? pairsOf(init) : Reflect.ownKeys(init).flatMap((key) => entryOf(init, key));
  }
  get size() {
    return this.#pairs.length;
  }
  /** @param {unknown[]} given */
  append(...given) {
    need(given, 'name', 'value');
    this.#pairs.push([text(given[0]), text(given[1])]);
    this.#changed();
  }
  /** @param {unknown[]} given */
  get(...given) {
    need(given, 'name');
    const name = text(given[0]);
    return this.#pairs.find(([key]) => key === name)?.[1] ?? null;
  }
  /** @param {unknown[]} given */
  getAll(...given) {
    need(given, 'name');
    const name = text(given[0]);
    return this.#pairs.filter(([key]) => key === name).map(([, value]) => value);
  }
  /** @param {unknown[]} given */
  has(...given) {
    need(given, 'name');
    return this.#pairs.some(matching(given));
  }
  /** @param {unknown[]} given */
  set(...given) {
    need(given, 'name', 'value');
    const [name, value] = [text(given[0]), text(given[1])];
    const index = this.#pairs.findIndex(([key]) => key === name);
    if (index < 0) this.#pairs.push([name, value]);
    else {
      this.#pairs = this.#pairs.filter(([key], at) => key !== name || at === index);
      this.#pairs[index] = [name, value];
    }
    this.#changed();
  }
  /** @param {unknown[]} given */
  delete(...given) {
    need(given, 'name');
    const isGone = matching(given);
    this.#pairs = this.#pairs.filter((pair) => !isGone(pair));
    this.#changed();
  }
  sort() {
    this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#changed();
  }
  /** @param {(value: string, name: string, params: URLSearchParams) => void} visit @param {unknown} [receiver] */
  forEach(visit, receiver) {
    if (typeof visit !== 'function') {
      const message = 'The "callback" argument must be of type function.';
      throw Object.assign(new TypeError(message), { code: 'ERR_INVALID_ARG_TYPE' });
    }
    for (let at = 0; at < this.#pairs.length; at++) {
      const [name, value] = /** @type {[string, string]} */ (this.#pairs[at]);
      visit.call(receiver, value, name, this);
    }
  }
  *keys() {
    for (let at = 0; at < this.#pairs.length; at++) yield this.#pairs[at]?.[0];
  }
  *values() {
    for (let at = 0; at < this.#pairs.length; at++) yield this.#pairs[at]?.[1];
  }
  *entries() {
    for (let at = 0; at < this.#pairs.length; at++) yield [...(this.#pairs[at] ?? [])];
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  toString() {
    return compute('params.text', [this.#pairs]);
  }
}

/** @param {Iterable<any>} list @returns {[string, string][]} */
function pairsOf(list) {
  return [...list].map((pair) => {
    const isPair = (typeof pair === 'object' || typeof pair === 'function') && pair !== null && Symbol.iterator in pair;
    const both = isPair ? [...pair] : [];
    if (both.length === 2) return [text(both[0]), text(both[1])];
    throw Object.assign(new TypeError('Each query pair must be an iterable [name, value] tuple'), {
      code: 'ERR_INVALID_TUPLE',
    });
  });
}

/** @param {any} record @param {string | symbol} key @returns {[string, string][]} */
function entryOf(record, key) {
  if (!Object.getOwnPropertyDescriptor(record, key)?.enumerable) return [];
  return [[text(key), text(record[key])]];
}

/** @param {readonly unknown[]} given a name, and a value or undefined */
function matching(given) {
  const name = text(given[0]);
  const value = given[1] === undefined ? undefined : text(given[1]);
  return (/** @type {[string, string]} */ [key, held]) => key === name && (value === undefined || held === value);
}

/** An address. Raises `TypeError` when the text is not one. */
export class URL {
  /** @type {Record<string, string>} */
  #parts;
  /** @type {URLSearchParams | undefined} */
  #params;

  /** @param {unknown[]} given an address, and an address to which it is relative */
  constructor(...given) {
    need(given, 'url');
    const [address, base] = given;
    this.#parts = compute('url.parse', [text(address), ...(base === undefined ? [] : [text(base)])]);
  }

  static {
    for (const part of [...WRITABLE, ...READ_ONLY]) {
      Object.defineProperty(URL.prototype, part, {
        /** @this {URL} */
        get() {
          return this.#parts[part];
        },
        /** @this {URL} @param {unknown} value */
        set(value) {
          this.#set(part, text(value));
          if (this.#params && (part === 'href' || part === 'search'))
            bind(this.#params, /** @type {string} */ (this.#parts.search));
        },
        enumerable: true,
        configurable: true,
        ...(READ_ONLY.includes(part) ? { set: undefined } : {}),
      });
    }
  }

  /** @param {string} part @param {string} value */
  #set(part, value) {
    this.#parts = compute('url.set', [this.#parts.href, part, value]);
  }
  get searchParams() {
    if (this.#params) return this.#params;
    const params = new URLSearchParams();
    bind(params, /** @type {string} */ (this.#parts.search), () => this.#set('search', params.toString()));
    this.#params = params;
    return params;
  }
  toString() {
    return this.#parts.href;
  }
  toJSON() {
    return this.#parts.href;
  }
  /** @param {unknown} address @param {unknown} [base] */
  static canParse(address, base) {
    return parseUrl(address, base) !== null;
  }
  static parse = parseUrl;
}

/**
 * Returns an address, or null if the text is not one.
 * @param {unknown} address
 * @param {unknown} [base]
 */
export function parseUrl(address, base) {
  try {
    return new globalThis.URL(/** @type {string} */ (address), /** @type {string | undefined} */ (base));
  } catch {
    return null;
  }
}

for (const Class of [URL, URLSearchParams])
  Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: Class.name, configurable: true });
