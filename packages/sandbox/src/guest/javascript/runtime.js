// The guest runtime for JavaScript: everything a program sees beyond the language itself. It is the same on every
// sandbox; the engine gives it one function to send frames with and one call per answer that arrives.
import { failureOf, fillFault, ToolError } from './faults.js';
import { createFiles } from './files.js';
import { formatLog } from './inspect.js';
import { installPlatform } from './platform.js';

const FrameType = { request: 2, notice: 5, done: 6 };
const DoneStatus = { completed: 0, failed: 1, stopped: 2 };
const LOG_LEVELS = {
  log: 'info',
  info: 'info',
  debug: 'debug',
  warn: 'warn',
  error: 'error',
  trace: 'debug',
  dir: 'info',
  table: 'info',
};

/**
 * Installs the globals. All that does not depend on the program is done before there is one.
 * @param {(type: number, id: number, payload: string) => void} send
 * @param {() => any} extras loads `extras.js`, which few programs need
 */
export function install(send, extras) {
  const { parse, stringify } = JSON;
  /** @type {Map<number, { resolve(value: unknown): void, reject(reason: unknown): void, error: Error }>} */
  const waiting = new Map();
  let messageBytes = 0;
  let last = 0;
  let ended = false;

  /** @param {number} status @param {string} payload */
  const end = (status, payload) => {
    if (ended) return;
    ended = true;
    send(FrameType.done, status, payload);
  };
  const complete = (/** @type {unknown} */ value) => {
    const text = value === undefined ? '' : toJson(value, stringify);
    if (text.length <= messageBytes) return end(DoneStatus.completed, text);
    throw tooLarge(
      'RESULT_TOO_LARGE',
      `The result is ${text.length} characters, the limit is ${messageBytes} bytes. Return a summary.`,
    );
  };
  const fail = (/** @type {unknown} */ thrown) => {
    const error = failureOf(thrown);
    if (error.name === 'InternalError' && error.message === 'out of memory') {
      return end(DoneStatus.stopped, stringify({ limit: 'memory', stack: error.stack }));
    }
    return end(DoneStatus.failed, stringify(error));
  };

  /**
   * @param {string} payload
   * @returns {Promise<any>}
   */
  const request = (payload) => {
    if (payload.length > messageBytes) {
      throw tooLarge(
        'ARGUMENTS_TOO_LARGE',
        `The arguments are ${payload.length} characters, the limit is ${messageBytes} bytes. Send less at once, or write it to a file and pass its path.`,
      );
    }
    const id = ++last;
    // Made here, so that its stack has the author's line; it becomes a ToolError only if the call fails.
    const error = new Error();
    const answered = new Promise((resolve, reject) => waiting.set(id, { resolve, reject, error }));
    send(FrameType.request, id, payload);
    return answered;
  };
  const ask = async (/** @type {string} */ operation, /** @type {unknown[]} */ ...parameters) =>
    request(stringify([operation, ...parameters]));

  // Not an async function, which would cost every call two more turns of the job queue.
  const callMCPTool = (/** @type {unknown} */ name, /** @type {unknown} */ args = {}) => {
    try {
      return request(callPayload(name, args));
    } catch (error) {
      return Promise.reject(error);
    }
  };
  const callPayload = (/** @type {unknown} */ name, /** @type {unknown} */ args) => {
    if (typeof name !== 'string')
      throw new TypeError('callMCPTool takes the name of a tool first: callMCPTool("server__tool", {...})');
    if (typeof args !== 'object' || args === null || Array.isArray(args)) {
      throw new TypeError(
        `callMCPTool("${name}", args) takes one object of arguments, not ${args === null ? 'null' : Array.isArray(args) ? 'an array' : `a ${typeof args}`}`,
      );
    }
    return `["call",${stringify(name)},${stringify(args) ?? '{}'}]`;
  };

  const run_skill = async (/** @type {unknown} */ name, /** @type {unknown} */ args = {}) => {
    if (typeof args !== 'object' || args === null || Array.isArray(args)) {
      throw new TypeError(`run_skill("${name}", args) takes one object of arguments`);
    }
    const entry = await ask('skill', name);
    const main = (await import(entry.module))[entry.name];
    return settle(await main(...argumentsOf(entry, /** @type {Record<string, unknown>} */ (args))));
  };
  const sleep = (/** @type {number} */ milliseconds) =>
    ask('sleep', Math.max(0, Number(milliseconds) || 0)).then(() => undefined);
  const parseJSON = (/** @type {unknown} */ value) => {
    if (typeof value !== 'string') return value;
    return parse(value.replace(/^\s*```\w*\n([\s\S]*?)\n?```\s*$/, '$1'));
  };
  const timestamp = () => new Date().toISOString();
  const notice = (/** @type {string} */ kind, /** @type {unknown[]} */ ...values) =>
    send(FrameType.notice, 0, stringify([kind, ...values]));

  const platform = installPlatform(ask, extras);
  fix({
    callMCPTool,
    list_mcp_tools: (/** @type {unknown} */ filter) => ask('list', filter),
    get_mcp_tool_details: (/** @type {unknown} */ name) => ask('details', name),
    search_tools: (/** @type {unknown} */ query, /** @type {unknown} */ options) => ask('search', query, options),
    load_skill: (/** @type {unknown} */ name) => ask('skillText', name),
    run_skill,
    pii: Object.freeze({
      derive: (/** @type {unknown} */ placeholders, /** @type {unknown} */ what) => ask('derive', placeholders, what),
    }),
    fs: createFiles(ask, extras),
    utils: Object.freeze({ sleep, parseJSON, timestamp }),
    sleep,
    parseJSON,
    timestamp,
    progress: (/** @type {unknown} */ value) => notice('progress', value ?? null),
    ToolError,
  });
  globalThis.console = /** @type {any} */ (
    Object.fromEntries(
      Object.entries(LOG_LEVELS).map(([method, level]) => [
        method,
        (/** @type {unknown[]} */ ...values) => notice('log', level, formatLog(values)),
      ]),
    )
  );

  return {
    /** Starts `/program.js`. @param {{ seed: number, epochMs: number, messageBytes: number }} settings */
    start: (settings) => {
      ended = false;
      messageBytes = settings.messageBytes;
      platform.start(settings);
      const program = '/program.js';
      import(program)
        .then((module) => module.default())
        .then(settle)
        .then(complete)
        .catch(fail);
    },
    /** Nothing is left that could go on: the program waits for a promise that nothing can resolve. */
    stall: () => fail(stalled()),
    deliver: (/** @type {boolean} */ ok, /** @type {number} */ id, /** @type {string} */ payload) => {
      const entry = waiting.get(id);
      if (!entry) return;
      waiting.delete(id);
      if (ok) entry.resolve(payload === '' ? undefined : parse(payload));
      else entry.reject(fillFault(entry.error, id, payload));
    },
  };
}

/**
 * A program may give a function as its result (`export default async () => …`): its result is meant.
 * @param {unknown} value
 */
async function settle(value) {
  const isCallable = typeof value === 'function' && !/^class\b/.test(Function.prototype.toString.call(value));
  return isCallable ? value() : value;
}

/**
 * The arguments of a skill's main function: one object, or by the names of its parameters.
 * @param {{ parameters: string[] | null, call: string }} entry
 * @param {Record<string, unknown>} args
 */
function argumentsOf({ parameters, call }, args) {
  if (parameters === null) return [args];
  const strange = Object.keys(args).find((name) => !parameters.includes(name));
  if (strange === undefined) return parameters.map((name) => args[name]);
  throw new TypeError(`There is no argument "${strange}". The skill is run by ${call}`);
}

function stalled() {
  const error = new ToolError(
    'The program awaits a promise that nothing can resolve. Check that each new Promise calls resolve or reject.',
  );
  error.name = 'Error';
  error.code = 'NEVER_SETTLES';
  return error;
}

/**
 * @param {unknown} value
 * @param {typeof JSON.stringify} stringify
 */
function toJson(value, stringify) {
  try {
    const text = stringify(value, plain);
    if (text !== undefined) return text;
  } catch (error) {
    throw notJson(error instanceof Error ? error.message : String(error));
  }
  throw notJson(`a ${typeof value} has no JSON form`);
}

/**
 * Collections keep their content; JSON alone would turn them into `{}`.
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

/** @param {string} why */
function notJson(why) {
  const error = new ToolError(`The result cannot be given back as JSON: ${why}. Return plain data.`);
  error.name = 'TypeError';
  error.code = 'RESULT_NOT_JSON';
  return error;
}

/** @param {string} code @param {string} message */
function tooLarge(code, message) {
  const error = new ToolError(message);
  error.code = code;
  return error;
}

/**
 * The API's names cannot be taken away from under the program's imports.
 * @param {Record<string, unknown>} values
 */
function fix(values) {
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(globalThis, name, { value, enumerable: true });
}
