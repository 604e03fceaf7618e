// The end of a program: its result as JSON, or the errors of a program that has no result.
import { ToolError } from './faults.js';

const { stringify } = JSON;

/**
 * Returns the JSON text of a result, empty for `undefined`. Raises `RESULT_NOT_JSON`, and `RESULT_TOO_LARGE` above the limit.
 * @param {unknown} value
 * @param {number} limit
 */
export function resultText(value, limit) {
  const text = value === undefined ? '' : toJson(value);
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

/** @param {unknown} value */
function toJson(value) {
  try {
    const text = stringify(value, plain);
    if (text !== undefined) return text;
  } catch (error) {
    throw notJson(error instanceof Error ? error.message : String(error));
  }
  throw notJson(`a ${typeof value} has no JSON form`);
}

/**
 * Converts collections and errors to plain data; JSON alone would turn them into `{}`.
 * @param {string} key
 * @param {unknown} value
 */
function plain(key, value) {
  if (typeof value === 'bigint') throw new TypeError(`"${key}" is a BigInt, use Number(value) or String(value)`);
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  if (value instanceof Error) return { name: value.name, message: value.message };
  return value;
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
