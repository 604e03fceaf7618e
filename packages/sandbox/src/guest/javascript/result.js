// The end of a program: its result as JSON, or the errors of a program that has no result.
import { AWAIT_IT, ToolError } from './faults.js';
import { jsonText } from './numbers.js';

/**
 * Returns the JSON text of a result, empty for `undefined`. Raises `RESULT_NOT_JSON`, and `RESULT_TOO_LARGE` above the limit.
 * @param {unknown} value
 * @param {number} limit
 * @param {string} openStack the place of a call without an answer
 */
export function resultText(value, limit, openStack) {
  const text = value === undefined ? '' : toJson(value, openStack);
  if (text.length <= limit) return text;
  const message = `The result has ${text.length} characters, the limit is ${limit} bytes. Return a summary.`;
  throw coded(new ToolError(message), 'ToolError', 'RESULT_TOO_LARGE');
}

/** Returns the error of a program that waits for a promise that nothing can resolve. */
export function neverSettles() {
  const message =
    'The program awaits a promise that nothing can resolve. Check that each new Promise calls resolve or reject.';
  return coded(new ToolError(message), 'Error', 'NEVER_SETTLES');
}

/** @param {unknown} value @param {string} openStack */
function toJson(value, openStack) {
  try {
    const text = jsonText(value, plain);
    if (text !== undefined) return text;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw reason.endsWith(AWAIT_IT) ? unawaited(openStack) : notJson(reason);
  }
  throw notJson(`a ${typeof value} has no JSON form`);
}

/**
 * Converts collections and errors to plain data; JSON alone would turn them into `{}`.
 * @param {string} _key
 * @param {unknown} value
 */
function plain(_key, value) {
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  if (value instanceof Error) return { name: value.name, message: value.message };
  return value;
}

/** @param {string} openStack */
function unawaited(openStack) {
  const error = new ToolError(`The result has a Promise, which is not awaited. ${AWAIT_IT}`);
  error.stack = openStack;
  return coded(error, 'TypeError', 'RESULT_NOT_JSON');
}

/** @param {string} reason */
function notJson(reason) {
  const message = `The result cannot be returned as JSON: ${reason}. Return plain data.`;
  return coded(new ToolError(message), 'TypeError', 'RESULT_NOT_JSON');
}

/** @param {ToolError} error @param {string} name @param {string} code */
function coded(error, name, code) {
  error.name = name;
  error.code = code;
  return error;
}
