// Blob, File, FormData, Headers and the streams that compress. Node's own need its threads, or load its HTTP client.
import { compute } from '../engine.js';

/** @param {unknown} part @returns {Uint8Array} */
function bytesOf(part) {
  if (part instanceof Blob) return contentOf(part);
  if (part instanceof ArrayBuffer) return new Uint8Array(part.slice(0));
  if (ArrayBuffer.isView(part)) return Uint8Array.from(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
  return new globalThis.TextEncoder().encode(String(part));
}

/** @param {readonly Uint8Array[]} pieces */
function joined(pieces) {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** @type {(blob: Blob) => Uint8Array} */
let contentOf;

/** Bytes with a type. */
export class Blob {
  /** @type {Uint8Array} */
  #bytes;
  #type;
  static {
    contentOf = (blob) => blob.#bytes;
  }
  /** @param {Iterable<unknown>} [parts] @param {{ type?: string, endings?: string }} [options] */
  constructor(parts = [], { type = '' } = {}) {
    if (typeof parts !== 'object' || parts === null || typeof parts[Symbol.iterator] !== 'function')
      throw Object.assign(new TypeError('The "sources" argument must be a sequence.'), {
        code: 'ERR_INVALID_ARG_TYPE',
      });
    this.#bytes = joined([...parts].map(bytesOf));
    this.#type = /^[\u0020-\u007e]*$/.test(String(type)) ? String(type).toLowerCase() : '';
  }
  get size() {
    return this.#bytes.length;
  }
  get type() {
    return this.#type;
  }
  /** @param {number} [start] @param {number} [end] @param {string} [type] */
  slice(start, end, type = '') {
    return new Blob([this.#bytes.slice(start, end)], { type });
  }
  async arrayBuffer() {
    return this.#bytes.slice().buffer;
  }
  async bytes() {
    return this.#bytes.slice();
  }
  async text() {
    return new globalThis.TextDecoder().decode(this.#bytes);
  }
  stream() {
    const bytes = this.#bytes.slice();
    return new /** @type {any} */ (globalThis).ReadableStream({
      start(/** @type {any} */ controller) {
        if (bytes.length > 0) controller.enqueue(bytes);
        controller.close();
      },
    });
  }
}

/** A Blob with a name. */
export class File extends Blob {
  #name;
  #lastModified;
  /** @param {[parts: Iterable<unknown>, name: string, options?: { type?: string, lastModified?: number }]} given */
  constructor(...given) {
    const [parts, name, options = {}] = given;
    if (given.length < 2)
      throw Object.assign(new TypeError('The "fileBits" and "fileName" arguments must be specified'), {
        code: 'ERR_MISSING_ARGS',
      });
    super(parts, options);
    this.#name = String(name);
    this.#lastModified = options.lastModified ?? Date.now();
  }
  get name() {
    return this.#name;
  }
  get lastModified() {
    return this.#lastModified;
  }
}

/** @param {unknown} value @param {string} [name] */
function formValue(value, name) {
  if (!(value instanceof Blob)) return String(value);
  if (value instanceof File && name === undefined) return value;
  return new File([value], name ?? 'blob', { type: value.type });
}

/** The fields of a form, in order. */
export class FormData {
  /** @type {[string, string | File][]} */
  #pairs = [];
  /** @param {unknown} [form] */
  constructor(form) {
    if (form !== undefined)
      throw new TypeError("Failed to construct 'FormData': Argument 1 could not be converted to: undefined.");
  }
  /** @param {unknown} name @param {unknown} value @param {string} [filename] */
  append(name, value, filename) {
    this.#pairs.push([String(name), formValue(value, filename)]);
  }
  /** @param {unknown} name @param {unknown} value @param {string} [filename] */
  set(name, value, filename) {
    const at = this.#pairs.findIndex(([key]) => key === String(name));
    if (at < 0) return this.append(name, value, filename);
    this.#pairs = this.#pairs.filter(([key], index) => key !== String(name) || index === at);
    this.#pairs[at] = [String(name), formValue(value, filename)];
  }
  /** @param {unknown} name */
  get(name) {
    return this.#pairs.find(([key]) => key === String(name))?.[1] ?? null;
  }
  /** @param {unknown} name */
  getAll(name) {
    return this.#pairs.filter(([key]) => key === String(name)).map(([, value]) => value);
  }
  /** @param {unknown} name */
  has(name) {
    return this.#pairs.some(([key]) => key === String(name));
  }
  /** @param {unknown} name */
  delete(name) {
    this.#pairs = this.#pairs.filter(([key]) => key !== String(name));
  }
  /** @param {(value: unknown, name: string, form: FormData) => void} visit @param {unknown} [receiver] */
  forEach(visit, receiver) {
    for (const [name, value] of this.#pairs) visit.call(receiver, value, name, this);
  }
  *entries() {
    for (const [name, value] of this.#pairs) yield [name, value];
  }
  *keys() {
    for (const [name] of this.#pairs) yield name;
  }
  *values() {
    for (const [, value] of this.#pairs) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
}

/** @param {unknown} name */
function headerName(name) {
  const text = String(name);
  if (/^[!#$%&'*+\-.^_`|~\w]+$/.test(text)) return text.toLowerCase();
  throw new TypeError(`Headers: ${text} is an invalid header name.`);
}

/** @param {unknown} value */
function headerValue(value) {
  const text = String(value).replace(/^[\t\r\n ]+|[\t\r\n ]+$/g, '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a header has bytes only
  if (!/[\0\r\n]|[^\u0000-\u00ff]/.test(text)) return text;
  throw new TypeError(`Headers: "${text}" is an invalid header value.`);
}

/** The headers of a message, sorted by name. */
export class Headers {
  /** @type {[string, string][]} */
  #pairs = [];
  /** @param {any} [init] */
  constructor(init) {
    if (init === undefined) return;
    if (typeof init !== 'object' || init === null)
      throw new TypeError('Headers constructor: init is not an object or a list of pairs.');
    const pairs = typeof init[Symbol.iterator] === 'function' ? [...init] : Object.entries(init);
    for (const pair of pairs) {
      const [name, value, ...more] = pair;
      if (pair.length !== 2 || more.length > 0)
        throw new TypeError('Headers constructor: expected name/value pair to be length 2.');
      this.append(name, value);
    }
  }
  /** @param {unknown} name @param {unknown} value */
  append(name, value) {
    this.#pairs.push([headerName(name), headerValue(value)]);
  }
  /** @param {unknown} name @param {unknown} value */
  set(name, value) {
    const [key, text] = [headerName(name), headerValue(value)];
    this.delete(key);
    this.#pairs.push([key, text]);
  }
  /** @param {unknown} name */
  get(name) {
    const key = headerName(name);
    const values = this.#pairs.filter(([own]) => own === key).map(([, value]) => value);
    return values.length > 0 ? values.join(', ') : null;
  }
  getSetCookie() {
    return this.#pairs.filter(([own]) => own === 'set-cookie').map(([, value]) => value);
  }
  /** @param {unknown} name */
  has(name) {
    return this.get(name) !== null;
  }
  /** @param {unknown} name */
  delete(name) {
    const key = headerName(name);
    this.#pairs = this.#pairs.filter(([own]) => own !== key);
  }
  /** @param {(value: string, name: string, headers: Headers) => void} visit @param {unknown} [receiver] */
  forEach(visit, receiver) {
    for (const [name, value] of this)
      visit.call(receiver, /** @type {string} */ (value), /** @type {string} */ (name), this);
  }
  *entries() {
    for (const name of [...new Set(this.#pairs.map(([own]) => own))].sort()) {
      if (name === 'set-cookie') for (const cookie of this.getSetCookie()) yield [name, cookie];
      else yield [name, /** @type {string} */ (this.get(name))];
    }
  }
  *keys() {
    for (const [name] of this.entries()) yield name;
  }
  *values() {
    for (const [, value] of this.entries()) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
}

const COMPRESSIONS = /** @type {Record<string, [string, string]>} */ ({
  gzip: ['gzip', 'gunzip'],
  deflate: ['deflate', 'inflate'],
  'deflate-raw': ['deflateRaw', 'inflateRaw'],
});

/** @param {unknown} format @param {0 | 1} direction */
function compressing(format, direction) {
  const name = COMPRESSIONS[String(format)]?.[direction];
  if (name === undefined)
    throw Object.assign(new TypeError(`The format must be gzip, deflate or deflate-raw. Received '${format}'`), {
      code: 'ERR_INVALID_ARG_VALUE',
    });
  /** @type {Uint8Array[]} */
  const pieces = [];
  return new /** @type {any} */ (globalThis).TransformStream({
    transform: (/** @type {unknown} */ piece) => void pieces.push(bytesOf(piece)),
    flush: (/** @type {any} */ controller) => controller.enqueue(compute('zlib', [name, {}], joined(pieces))),
  });
}

/** Compresses a stream as a whole. */
export class CompressionStream {
  #stream;
  /** @param {string} format */
  constructor(format) {
    this.#stream = compressing(format, 0);
  }
  get readable() {
    return this.#stream.readable;
  }
  get writable() {
    return this.#stream.writable;
  }
}

/** Decompresses a stream as a whole. */
export class DecompressionStream {
  #stream;
  /** @param {string} format */
  constructor(format) {
    this.#stream = compressing(format, 1);
  }
  get readable() {
    return this.#stream.readable;
  }
  get writable() {
    return this.#stream.writable;
  }
}

for (const Class of [Blob, File, FormData, Headers, CompressionStream, DecompressionStream])
  Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: Class.name, configurable: true });
