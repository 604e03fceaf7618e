// Errors that come from the host, and the report of the error that ended the program.

/**
 * Raised when a request fails because of a tool, its server or the host. `code` is stable (`TOOL_FAILED`, `INVALID_ARGUMENTS`,
 * `UNKNOWN_TOOL`, `TOOL_TIMEOUT`, …); `details` has further data of the error.
 */
export class ToolError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = 'ToolError';
    this.code = 'TOOL_FAILED';
    /** @type {unknown} */
    this.details = undefined;
  }
}

/** The fix of a missing `await`. */
export const AWAIT_IT = 'Write await before the call, or await Promise.all(list) for a list of calls.';

/** @type {WeakMap<object, number>} */
const requestOfError = new WeakMap();

/**
 * Converts the error that was created with the request to a `ToolError`, and returns it.
 * @param {Error} made
 * @param {number} request
 * @param {string} payload JSON text of the host's fault
 */
export function fillFault(made, request, payload) {
  const fault = JSON.parse(payload);
  const error = /** @type {ToolError} */ (Object.setPrototypeOf(made, ToolError.prototype));
  error.name = fault.name;
  error.message = fault.message;
  error.code = fault.code;
  if (fault.details !== undefined) error.details = fault.details;
  requestOfError.set(error, request);
  return error;
}

/** Maximum number of characters of each text for the host. */
const MAX_TEXT = 65_536;

/**
 * Returns the description of a thrown value for the host.
 * @param {unknown} thrown
 * @returns {{ name: string, message: string, stack: string, code?: string, request?: number }}
 */
export function failureOf(thrown) {
  try {
    return describe(thrown);
  } catch {
    return { name: 'Error', message: 'The program threw an error that cannot be read.', stack: '' };
  }
}

/** @param {unknown} thrown */
function describe(thrown) {
  if (!(thrown instanceof Error)) {
    return { name: 'Error', message: `The program threw ${typeof thrown}: ${short(textOf(thrown))}`, stack: '' };
  }
  const code = /** @type {{ code?: unknown }} */ (thrown).code;
  const request = requestOfError.get(thrown);
  return {
    name: short(String(thrown.name)),
    message: short(String(thrown.message) + causeText(thrown.cause)),
    stack: short(String(thrown.stack ?? '')),
    ...(typeof code === 'string' ? { code: short(code) } : {}),
    ...(request === undefined ? {} : { request }),
  };
}

/** @param {string} text */
function short(text) {
  return text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text;
}

/** @param {unknown} cause */
function causeText(cause) {
  if (cause === undefined) return '';
  return ` (cause: ${cause instanceof Error ? `${cause.name}: ${cause.message}` : textOf(cause)})`;
}

/** @param {unknown} value */
function textOf(value) {
  try {
    return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  } catch {
    return 'a value without text';
  }
}
