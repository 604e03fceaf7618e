// The requests of a program to its host, and their answers.
import { askEngine } from './engine.js';
import { fillFault, ToolError } from './faults.js';
import { jsonText } from './numbers.js';

const { parse, stringify } = JSON;
const REQUEST_FRAME = 2;
const PLACE_FRAME = 11;
/** The id of requests that block. */
const BLOCKING = 0;
/** The first tool calls of a program send their places. */
const MAX_PLACES = 20;
const MAX_PLACE_CHARACTERS = 4_096;

/**
 * Creates the guest's end of the bridge.
 * @param {(type: number, id: number, payload: string) => void} send
 * @param {(error: Error) => void} fail ends the program
 */
export function createRequests(send, fail) {
  /** @type {Map<number, { resolve(value: unknown): void, reject(reason: unknown): void, error: Error }>} */
  const waiting = new Map();
  let maxCharacters = 0;
  let last = 0;
  let places = 0;

  /**
   * Sends one request and resolves to the answer.
   * @param {string} payload JSON text
   * @param {boolean} [isCall] of a tool
   * @returns {Promise<any>}
   */
  const request = (payload, isCall = false) => {
    if (payload.length > maxCharacters) throw argumentsTooLarge(payload.length, maxCharacters);
    const id = ++last;
    // Created here, so that its stack has the author's line. It becomes a ToolError only if the call fails.
    const error = new Error();
    const answered = new Promise((resolve, reject) => waiting.set(id, { resolve, reject, error }));
    if (isCall && places < MAX_PLACES) {
      places++;
      send(PLACE_FRAME, id, String(error.stack).slice(0, MAX_PLACE_CHARACTERS));
    }
    send(REQUEST_FRAME, id, payload);
    return answered;
  };

  /** A text that is too long is refused before its JSON takes the same memory again. */
  const sendable = (/** @type {string} */ _key, /** @type {unknown} */ part) => {
    if (typeof part === 'string' && part.length > maxCharacters) throw argumentsTooLarge(part.length, maxCharacters);
    return part;
  };

  return {
    request,
    /** Sends the call of a tool. */
    requestCall: (/** @type {string} */ tool, /** @type {object} */ args, /** @type {boolean} */ isRaw = false) =>
      request(`["call",${stringify(tool)},${jsonText(args, sendable) ?? '{}'}${isRaw ? ',"raw"' : ''}]`, true),
    ask: async (/** @type {string} */ operation, /** @type {unknown[]} */ ...parameters) =>
      request(stringify([operation, ...parameters])),
    /** Sends one request and returns the answer: nothing else of the program runs meanwhile. */
    askNow: (/** @type {string} */ operation, /** @type {unknown[]} */ ...parameters) => {
      const text = stringify([operation, ...parameters]);
      if (text.length > maxCharacters) throw argumentsTooLarge(text.length, maxCharacters);
      const { isFault, payload } = askEngine(text);
      if (!isFault) return payload === '' ? undefined : parse(payload);
      const error = fillFault(new Error(), BLOCKING, payload);
      if (parse(payload).ends) fail(error);
      throw error;
    },
    limit: (/** @type {number} */ characters) => {
      maxCharacters = characters;
      places = 0;
    },
    /** Returns the stack of the first request without an answer: the place of a call that is not awaited. */
    openStack: () => waiting.values().next().value?.error.stack ?? '',
    /** Settles the request that an answer belongs to. */
    deliver: (/** @type {boolean} */ ok, /** @type {number} */ id, /** @type {string} */ payload) => {
      const entry = waiting.get(id);
      if (!entry) throw new Error(`The host answered request ${id}, which the program has not sent.`);
      waiting.delete(id);
      if (ok) entry.resolve(payload === '' ? undefined : parse(payload));
      else if (parse(payload).ends) fail(fillFault(entry.error, id, payload));
      else entry.reject(fillFault(entry.error, id, payload));
    },
  };
}

/** @param {number} characters @param {number} limit */
function argumentsTooLarge(characters, limit) {
  const error = new ToolError(
    `The arguments have ${characters} characters, the limit is ${limit} bytes. Send less at once, or write the data to a file and pass its path.`,
  );
  error.code = 'ARGUMENTS_TOO_LARGE';
  return error;
}
