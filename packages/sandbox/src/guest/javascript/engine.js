// What the engine around the guest gives to the runtime's modules.

const { parse, stringify } = JSON;
const ABSENT = '\u0000undefined';
/** @type {Record<string, ErrorConstructor>} */
const ERRORS = { TypeError, RangeError, SyntaxError, URIError };

/**
 * @typedef {{
 *   compute(name: string, args: string, bytes?: ArrayBuffer): string | ArrayBuffer,
 * }} Engine
 */

/** @type {Engine} */
let engine = {
  compute: () => {
    throw new Error('The engine is not started.');
  },
};

/** @param {Engine} given */
export function useEngine(given) {
  engine = given;
}

/**
 * Returns what a pure function of Node returns. Raises its errors.
 * @param {string} name see `computations.cjs`
 * @param {readonly unknown[]} args
 * @param {Uint8Array} [bytes]
 * @returns {any}
 */
export function compute(name, args, bytes) {
  const text = stringify(args, (_key, value) => (value === undefined ? ABSENT : value));
  const answer = engine.compute(name, text, bytes && exactBuffer(bytes));
  if (typeof answer !== 'string') return new Uint8Array(answer);
  const { value, error } = parse(answer);
  if (!error) return value;
  const Raised = ERRORS[error.name] ?? Error;
  const { code } = error;
  throw Object.assign(new Raised(error.message), code === undefined ? {} : { code });
}

/** @param {Uint8Array} bytes */
function exactBuffer({ buffer, byteOffset, byteLength }) {
  const all = /** @type {ArrayBuffer} */ (buffer);
  return byteLength === all.byteLength ? all : all.slice(byteOffset, byteOffset + byteLength);
}
