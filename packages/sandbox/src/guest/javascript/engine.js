// The functions of the engine around the guest.

const { parse, stringify } = JSON;
const ABSENT = '\u0000undefined';
/** @type {Record<string, ErrorConstructor>} */
const ERRORS = { TypeError, RangeError, SyntaxError, URIError };

/**
 * @typedef {{
 *   compute(name: string, args: string, bytes?: ArrayBuffer): string | ArrayBuffer,
 *   askNow(payload: string): string | { isFault: boolean, payload: string },
 *   late(name: string): any,
 * }} Engine
 */

/** @type {Engine} */
let engine;

/** @param {Engine} given */
export function useEngine(given) {
  engine = given;
}

/** Returns a module of Node at once. @param {string} name */
export function lateModule(name) {
  return engine.late(name);
}

/** Sends a request and waits for its answer: nothing else of the program runs meanwhile. @param {string} payload */
export function askEngine(payload) {
  const answer = engine.askNow(payload);
  return typeof answer === 'string' ? parse(answer) : answer;
}

/**
 * Calls a pure function of Node. Raises its errors.
 * @param {string} name see `computations.cjs`
 * @param {readonly unknown[]} args
 * @param {Uint8Array} [bytes]
 * @returns {any}
 */
export function compute(name, args, bytes) {
  const text = stringify(args.map((value) => (value === undefined ? ABSENT : value)));
  const answer = engine.compute(name, text, bytes && exactBuffer(bytes));
  if (typeof answer !== 'string') return new Uint8Array(answer);
  const { value, error } = parse(answer);
  if (!error) return value;
  const { code } = error;
  if (typeof code === 'number') throw new /** @type {any} */ (globalThis).DOMException(error.message, error.name);
  const Raised = ERRORS[error.name] ?? Error;
  throw Object.assign(new Raised(error.message), code === undefined ? {} : { code });
}

/** @param {Uint8Array} bytes */
function exactBuffer({ buffer, byteOffset, byteLength }) {
  const all = /** @type {ArrayBuffer} */ (buffer);
  return byteLength === all.byteLength ? all : all.slice(byteOffset, byteOffset + byteLength);
}
