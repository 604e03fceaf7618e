// The guest runtime for JavaScript: everything a program has beyond the language itself. It is the same in every sandbox.
// The engine passes it a function that sends frames, and calls `deliver` with each answer.

import { toolDetails } from './api/details.js';
import { createFiles } from './api/files.js';
import { createPii } from './api/pii.js';
import { createResourceFunctions } from './api/resources.js';
import { createSearch } from './api/search.js';
import { createCallTool, createHostFunction, createRunSkill, createServers, settleResult } from './api/tools.js';
import { createComputed } from './computed/computed.js';
import { createConsole } from './console.js';
import { useEngine } from './engine.js';
import { failureOf, ToolError } from './faults.js';
import { delayOf, installPlatform } from './platform.js';
import { createRequests } from './requests.js';
import { neverSettles, resultText } from './result.js';

const { stringify } = JSON;
const FrameType = { notice: 5, done: 6 };
const DoneStatus = { completed: 0, failed: 1, stopped: 2 };

/**
 * Installs the globals. Everything that does not depend on the program is done before it arrives.
 * @param {(type: number, id: number, payload: string) => void} send
 * @param {() => number} now reads the clock
 * @param {() => any} extras loads `web/extras.js`, which few programs need
 * @param {import('./engine.js').Engine} engine
 */
export function install(send, now, extras, engine) {
  useEngine(engine);
  const { request, requestCall, ask, askNow, limit, deliver, openStack } = createRequests(send, (error) => fail(error));
  let messageBytes = 0;
  let ended = false;

  /** @param {number} status @param {string} payload */
  const end = (status, payload) => {
    if (ended) return;
    ended = true;
    send(FrameType.done, status, payload);
  };
  const complete = (/** @type {unknown} */ value, /** @type {() => void} */ beforeEnd = () => undefined) => {
    const text = resultText(value, messageBytes, openStack());
    beforeEnd();
    const pending = platform.pendingTimers();
    if (pending > 0 && !ended) notice('log', 'warn', pendingText(pending));
    end(DoneStatus.completed, text);
  };
  const fail = (/** @type {unknown} */ thrown) => {
    const error = failureOf(thrown);
    if (error.name === 'InternalError' && error.message === 'out of memory') {
      return end(DoneStatus.stopped, stringify({ limit: 'memory', stack: error.stack }));
    }
    return end(DoneStatus.failed, stringify(error));
  };
  const notice = (/** @type {string} */ kind, /** @type {unknown[]} */ ...values) =>
    send(FrameType.notice, 0, stringify([kind, ...values]));

  const platform = installPlatform(ask, now, extras, (text) => notice('log', 'warn', text));
  fix({
    ...createApi({ request, requestCall, ask, askNow }, extras),
    progress: (/** @type {unknown} */ value) => notice('progress', value ?? null),
  });
  globalThis.console = /** @type {any} */ (createConsole((level, text) => notice('log', level, text), now));
  Object.defineProperty(globalThis, '__toolwright_values', { value: createComputed(askNow) });

  return {
    /**
     * Starts `/program.js`.
     * @param {{ seed: number, messageBytes: number, functions?: string[], keeps?: boolean }} settings
     */
    start: (settings) => {
      ended = false;
      messageBytes = settings.messageBytes;
      limit(messageBytes);
      platform.start(settings.seed);
      for (const name of settings.functions ?? []) fix({ [name]: createHostFunction(requestCall, name) });
      const program = '/program.js';
      const running = settings.keeps
        ? import('./kept/kept.js').then(({ runWithKept }) =>
            runWithKept(program, { askNow, notice, settle: settleResult, complete }),
          )
        : import(program)
            .then((module) => module.default())
            .then(settleResult)
            .then(complete);
      running.catch(fail);
    },
    /** Fails the program: it waits for a promise that nothing can resolve. */
    stall: () => fail(neverSettles()),
    deliver,
  };
}

/**
 * Creates the functions and objects of the API that need only requests.
 * @param {Pick<ReturnType<typeof createRequests>, 'request' | 'requestCall' | 'ask' | 'askNow'>} requests
 * @param {() => any} extras
 */
function createApi({ request, requestCall, ask, askNow }, extras) {
  const sleep = (/** @type {unknown} */ milliseconds) =>
    ask('sleep', typeof milliseconds === 'number' ? delayOf(milliseconds) : milliseconds).then(() => undefined);
  const timestamp = () => new Date().toISOString();
  const details = (/** @type {unknown} */ name, /** @type {unknown[]} */ ...category) =>
    ask('details', name, ...category).then(toolDetails);
  const callMCPTool = createCallTool(requestCall);
  return {
    callMCPTool,
    servers: createServers(callMCPTool),
    list_mcp_tools: (/** @type {unknown} */ filter) => ask('list', filter),
    get_mcp_tool_details: details,
    get_tool_definition: details,
    search_tools: createSearch(ask),
    ...createResourceFunctions(request, ask),
    extract: (/** @type {unknown} */ text, /** @type {unknown} */ schema) => ask('extract', text, schema),
    execution: (/** @type {unknown} */ id, /** @type {unknown[]} */ ...part) => ask('execution', id, ...part),
    load_skill: (/** @type {unknown} */ name) => ask('skillText', name),
    show: (/** @type {unknown} */ what) => ask('show', what),
    run_skill: createRunSkill(ask),
    pii: createPii(ask),
    fs: createFiles(ask, extras, askNow),
    utils: Object.freeze({ sleep, parseJSON, timestamp }),
    sleep,
    parseJSON,
    timestamp,
    ToolError,
  };
}

/** @param {number} count */
function pendingText(count) {
  const subject = count === 1 ? '1 timer was' : `${count} timers were`;
  return `${subject} pending when the program ended: no callback ran after that. To wait, use "await sleep(milliseconds)".`;
}

/** @param {unknown} value */
function parseJSON(value) {
  if (typeof value !== 'string') return value;
  return JSON.parse(value.replace(/^\s*```\w*\n([\s\S]*?)\n?```\s*$/, '$1'));
}

/**
 * Defines constant globals: a program cannot replace the API that its imports use.
 * @param {Record<string, unknown>} values
 */
function fix(values) {
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(globalThis, name, { value, enumerable: true });
}
