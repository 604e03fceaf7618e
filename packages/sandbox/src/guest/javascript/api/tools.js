// The functions with which a program calls tools, skills and functions of the host.
/** @typedef {(tool: string, args: object, isRaw?: boolean) => Promise<any>} RequestCall */
/** @typedef {(operation: string, ...parameters: unknown[]) => Promise<any>} Ask */

/**
 * Creates `callMCPTool`.
 * @param {RequestCall} requestCall
 */
export function createCallTool(requestCall) {
  // Not an async function: that would cost every call two more turns of the job queue.
  return (/** @type {unknown} */ name, /** @type {unknown} */ args = {}, /** @type {any} */ options = undefined) => {
    try {
      if (typeof name !== 'string') {
        throw new TypeError('callMCPTool takes the name of a tool first: callMCPTool("server__tool", {...})');
      }
      return requestCall(name, requireObject(args, `callMCPTool("${name}", args)`), options?.raw === true);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

/**
 * Creates the global `servers`: `servers.shop.getUser({...})` loads the tool's file, or the server's module. A tool's own name that
 * is no identifier, as in `servers.shop['get-user']`, calls the tool of this name.
 * @param {(name: string, input?: unknown) => Promise<unknown>} callTool
 */
export function createServers(callTool) {
  return members((server) =>
    members((tool) =>
      /^[\w$]+$/.test(tool)
        ? createServerFunction(server, tool)
        : (/** @type {unknown} */ input) => callTool(`${server}__${tool}`, input),
    ),
  );
}

/** @param {(name: string) => unknown} member */
function members(member) {
  // A thenable would be called by `await`.
  const get = (/** @type {object} */ _target, /** @type {string | symbol} */ name) =>
    typeof name === 'string' && name !== 'then' ? member(name) : undefined;
  return new Proxy({}, { get });
}

/** @param {string} server @param {string} tool */
function createServerFunction(server, tool) {
  return async (/** @type {unknown[]} */ ...args) => {
    // Its stack has the author's line, which errors of the module and of the answer lack.
    const { stack } = new Error();
    try {
      const call = (await fileOfTool(server, tool, args)) ?? (await import(`/servers/${server}/index.js`))[tool];
      if (typeof call === 'function') return await call(...args);
      throw new TypeError(`./servers/${server}/index.js does not provide an export named '${tool}'`);
    } catch (error) {
      if (error instanceof Error) error.stack = stack ?? '';
      throw error;
    }
  };
}

/**
 * Returns the function in the file of a tool, which is far shorter than the module of its server. It accepts one object of arguments.
 * @param {string} server @param {string} tool @param {unknown[]} args
 */
async function fileOfTool(server, tool, args) {
  const [first = {}] = args;
  if (args.length > 1 || typeof first !== 'object' || first === null || Array.isArray(first)) return undefined;
  const file = await import(`/servers/${server}/${tool}.js`).catch(() => undefined);
  return file?.default;
}

/**
 * Creates the global function for one function of the host.
 * @param {RequestCall} requestCall
 * @param {string} name
 */
export function createHostFunction(requestCall, name) {
  return (/** @type {unknown} */ input = {}) => {
    try {
      return requestCall(name, requireObject(input, name));
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

/**
 * Creates `run_skill`.
 * @param {Ask} ask
 */
export function createRunSkill(ask) {
  return async (/** @type {unknown} */ name, /** @type {unknown} */ args = {}) => {
    requireObject(args, `run_skill("${name}", args)`);
    const entry = await ask('skill', name);
    const main = (await import(entry.module))[entry.name];
    const value = await main(...argumentsOf(entry, /** @type {Record<string, unknown>} */ (args)));
    return settleResult(value);
  };
}

/**
 * Calls the result if it is a function: a program may end with `export default async () => …`.
 * @param {unknown} value
 */
export async function settleResult(value) {
  const isCallable = typeof value === 'function' && !/^class\b/.test(Function.prototype.toString.call(value));
  return isCallable ? value() : value;
}

/** @param {unknown} args @param {string} call @returns {object} the arguments */
function requireObject(args, call) {
  if (typeof args === 'object' && args !== null && !Array.isArray(args)) return args;
  const given = args === null ? 'null' : Array.isArray(args) ? 'an array' : `a ${typeof args}`;
  throw new TypeError(`${call} takes one object of arguments, not ${given}`);
}

/**
 * Returns the arguments of a skill's main function: one object, or the values in the order of its parameters.
 * @param {{ parameters: string[] | null, call: string }} entry
 * @param {Record<string, unknown>} args
 */
function argumentsOf({ parameters, call }, args) {
  if (parameters === null) return [args];
  const unknown = Object.keys(args).find((name) => !parameters.includes(name));
  if (unknown === undefined) return parameters.map((name) => args[name]);
  throw new TypeError(`There is no argument "${unknown}". Call the skill with ${call}`);
}
