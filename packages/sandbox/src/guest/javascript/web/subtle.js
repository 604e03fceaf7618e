// `crypto.subtle`: digests and HMAC. Node computes them.
import { compute } from '../engine.js';

const HASHES = ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'];
const HINT =
  'A program has crypto.subtle.digest, and importKey, exportKey, sign and verify for HMAC. Let a tool do the rest.';

/** @param {string} message @param {string} name */
function problem(message, name) {
  return new /** @type {any} */ (globalThis).DOMException(message, name);
}

/** @param {any} algorithm */
function hashOf(algorithm) {
  const name = String(algorithm?.name ?? algorithm).toUpperCase();
  if (HASHES.includes(name)) return name;
  throw problem(
    `Unrecognized algorithm name: ${algorithm?.name ?? algorithm}. The hashes are ${HASHES.join(', ')}.`,
    'NotSupportedError',
  );
}

/** @param {any} algorithm */
function requireHmac(algorithm) {
  if (String(algorithm?.name ?? algorithm).toUpperCase() !== 'HMAC')
    throw problem(`The algorithm is not available. ${HINT}`, 'NotSupportedError');
}

/** @param {any} data @returns {Uint8Array} */
function bytesOf(data) {
  if (data instanceof ArrayBuffer) return new Uint8Array(data.slice(0));
  if (ArrayBuffer.isView(data)) return Uint8Array.from(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  throw Object.assign(
    new TypeError('The data must be an ArrayBuffer or a view of one: use new TextEncoder().encode(text).'),
    {
      code: 'ERR_INVALID_ARG_TYPE',
    },
  );
}

/** @type {(key: CryptoKey) => Uint8Array} */
let secretOf;

/** A key for HMAC. */
class CryptoKey {
  #bytes;
  type = 'secret';
  /** @param {Uint8Array} bytes @param {object} algorithm @param {boolean} extractable @param {string[]} usages */
  constructor(bytes, algorithm, extractable, usages) {
    this.#bytes = bytes;
    this.algorithm = algorithm;
    this.extractable = extractable;
    this.usages = usages;
  }
  static {
    secretOf = (key) => key.#bytes;
  }
}

/** @param {CryptoKey} key @param {string} usage @param {unknown} data */
function hmac(key, usage, data) {
  if (!key.usages.includes(usage))
    throw problem(`The key cannot be used to ${usage}: name it in its usages.`, 'InvalidAccessError');
  const [secret, content] = [secretOf(key), bytesOf(data)];
  const both = new Uint8Array(secret.length + content.length);
  both.set(secret);
  both.set(content, secret.length);
  return compute('hmac', [/** @type {any} */ (key.algorithm).hash.name.replace('-', ''), secret.length], both);
}

/** @param {string} name */
function absent(name) {
  return async () => {
    throw problem(`crypto.subtle.${name} is not available. ${HINT}`, 'NotSupportedError');
  };
}

export const subtle = {
  /** @param {unknown} algorithm @param {unknown} data */
  async digest(algorithm, data) {
    return compute('hash', [hashOf(algorithm).replace('-', '')], bytesOf(data)).buffer;
  },
  /** @param {string} format @param {any} data @param {any} algorithm @param {boolean} extractable @param {string[]} usages */
  async importKey(format, data, algorithm, extractable, usages) {
    requireHmac(algorithm);
    if (format !== 'raw') throw problem(`The format ${format} is not available: use raw. ${HINT}`, 'NotSupportedError');
    const bytes = bytesOf(data);
    if (bytes.length === 0) throw problem('Zero-length key is not supported', 'DataError');
    const hash = { name: hashOf(algorithm.hash) };
    return new CryptoKey(bytes, { name: 'HMAC', hash, length: bytes.length * 8 }, extractable, [...usages]);
  },
  /** @param {string} format @param {CryptoKey} key */
  async exportKey(format, key) {
    if (!key.extractable) throw problem('key is not extractable', 'InvalidAccessError');
    if (format !== 'raw') throw problem(`The format ${format} is not available: use raw. ${HINT}`, 'NotSupportedError');
    return secretOf(key).slice().buffer;
  },
  /** @param {unknown} algorithm @param {CryptoKey} key @param {unknown} data */
  async sign(algorithm, key, data) {
    requireHmac(algorithm);
    return hmac(key, 'sign', data).buffer;
  },
  /** @param {unknown} algorithm @param {CryptoKey} key @param {unknown} signature @param {unknown} data */
  async verify(algorithm, key, signature, data) {
    requireHmac(algorithm);
    const [own, given] = [hmac(key, 'verify', data), bytesOf(signature)];
    return (
      own.length === given.length &&
      own.every((/** @type {number} */ byte, /** @type {number} */ index) => byte === given[index])
    );
  },
  ...Object.fromEntries(
    ['encrypt', 'decrypt', 'generateKey', 'deriveKey', 'deriveBits', 'wrapKey', 'unwrapKey'].map((name) => [
      name,
      absent(name),
    ]),
  ),
};
