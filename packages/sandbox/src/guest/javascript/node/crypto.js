// `node:crypto`: hashes, and random values from the seed of the execution. Keys and ciphers stay outside of programs.
import { Buffer } from 'node:buffer';
import { compute } from '../engine.js';

const { getRandomValues, randomUUID, subtle } = globalThis.crypto;
const MAX_RANDOM = 65_536;

/** @param {unknown} data @param {any} [encoding] @returns {Uint8Array} */
function bytesOf(data, encoding) {
  if (typeof data === 'string') return Buffer.from(data, encoding);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  const message = 'The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView.';
  throw Object.assign(new TypeError(message), { code: 'ERR_INVALID_ARG_TYPE' });
}

/** A hash of several pieces of data. */
class Hash {
  /** @type {Uint8Array[]} */
  #pieces = [];
  #ended = false;
  /** @type {string} */
  #name;
  /** @type {any[]} */
  #args;

  /** @param {string} name of the computation @param {any[]} args @param {Uint8Array} [key] */
  constructor(name, args, key) {
    this.#name = name;
    this.#args = args;
    // Raises the error of an unknown algorithm.
    compute(name, args, key ?? new Uint8Array());
    if (key) this.#pieces.push(key);
  }
  /** @param {unknown} data @param {string} [encoding] */
  update(data, encoding) {
    if (this.#ended) throw finished();
    this.#pieces.push(Uint8Array.from(bytesOf(data, encoding)));
    return this;
  }
  /** @param {any} [encoding] @returns {any} */
  digest(encoding) {
    if (this.#ended) throw finished();
    this.#ended = true;
    const bytes = Buffer.from(compute(this.#name, this.#args, Buffer.concat(this.#pieces)).buffer);
    return encoding === undefined || encoding === 'buffer' ? bytes : bytes.toString(encoding);
  }
  copy() {
    const other = new Hash(this.#name, this.#args, this.#name === 'hmac' ? this.#pieces[0] : undefined);
    other.#pieces = [...this.#pieces];
    return other;
  }
}

function finished() {
  return Object.assign(new Error('Digest already called'), { code: 'ERR_CRYPTO_HASH_FINALIZED' });
}

/** @param {string} algorithm @param {{ outputLength?: number }} [options] */
export function createHash(algorithm, options) {
  return new Hash('hash', [algorithm, options?.outputLength]);
}

/** @param {string} algorithm @param {unknown} key */
export function createHmac(algorithm, key) {
  const bytes = Uint8Array.from(bytesOf(key));
  return new Hash('hmac', [algorithm, bytes.length], bytes);
}

/** @param {string} algorithm @param {unknown} data @param {any} [encoding] */
export function hash(algorithm, data, encoding = 'hex') {
  return createHash(algorithm).update(data).digest(encoding);
}

export const getHashes = () => compute('hashes', []);

/** @param {number} size @param {(error: null, bytes: Uint8Array) => void} [callback] */
export function randomBytes(size, callback) {
  const bytes = randomFillSync(Buffer.alloc(size));
  if (!callback) return bytes;
  queueMicrotask(() => callback(null, bytes));
  return undefined;
}

/** @template {ArrayBufferView} T @param {T} view @param {number} [offset] @param {number} [size] @returns {T} */
export function randomFillSync(view, offset = 0, size = view.byteLength - offset) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset + offset, size);
  for (let at = 0; at < size; at += MAX_RANDOM) getRandomValues(bytes.subarray(at, at + MAX_RANDOM));
  return view;
}

/** @param {number} least @param {any} [limit] @param {any} [callback] */
export function randomInt(least, limit, callback) {
  if (limit === undefined || typeof limit === 'function') return randomInt(0, least, limit);
  for (const value of [least, limit]) {
    if (Number.isSafeInteger(value)) continue;
    const message = 'The "min" and "max" arguments must be safe integers.';
    throw Object.assign(new TypeError(message), { code: 'ERR_INVALID_ARG_TYPE' });
  }
  if (limit <= least) {
    const message = `The value of "max" is out of range. It must be greater than the value of "min" (${least}). Received ${limit}`;
    throw Object.assign(new RangeError(message), { code: 'ERR_OUT_OF_RANGE' });
  }
  const value = least + Math.floor(Math.random() * (limit - least));
  if (!callback) return value;
  queueMicrotask(() => callback(null, value));
  return undefined;
}

/** @param {unknown} one @param {unknown} other */
export function timingSafeEqual(one, other) {
  const [a, b] = [bytesOf(one), bytesOf(other)];
  if (a.length === b.length) return a.every((byte, index) => byte === b[index]);
  throw Object.assign(new RangeError('Input buffers must have the same byte length'), {
    code: 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH',
  });
}

/** @param {string} name */
function absent(name) {
  return () => {
    throw new Error(
      `crypto.${name} is not available: a program has hashes (createHash, createHmac) and random values. Let a tool encrypt or sign.`,
    );
  };
}

export const createCipheriv = absent('createCipheriv');
export const createDecipheriv = absent('createDecipheriv');
export const createSign = absent('createSign');
export const createVerify = absent('createVerify');
export const generateKeyPairSync = absent('generateKeyPairSync');
export const pbkdf2Sync = absent('pbkdf2Sync');
export const scryptSync = absent('scryptSync');
export const webcrypto = globalThis.crypto;
export { getRandomValues, randomUUID, subtle };
export default {
  ...{ createHash, createHmac, hash, getHashes, randomBytes, randomFillSync, randomInt, randomUUID, getRandomValues },
  ...{ timingSafeEqual, webcrypto, subtle, createCipheriv, createDecipheriv, createSign, createVerify },
  ...{ generateKeyPairSync, pbkdf2Sync, scryptSync },
};
