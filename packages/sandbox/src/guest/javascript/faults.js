// Errors that come from the host, and the report of the error that ended the program.

/**
 * An error of a tool, of its upstream or of the host. `code` is stable (`TOOL_FAILED`, `INVALID_ARGUMENTS`,
 * `UNKNOWN_TOOL`, `TOOL_TIMEOUT`, …); `details` is data that belongs to it.
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

/** @type {WeakMap<object, number>} */
const requestOfError = new WeakMap();

/**
 * Makes a `ToolError` of an error that was made where the request was made.
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

/** Characters of each text that the host is told. */
const MAX_TEXT = 65_536;

/**
 * Describes what was thrown for the host.
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
