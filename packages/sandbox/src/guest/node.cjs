// Runs one guest program in plain V8, then exits: `node --experimental-vm-modules node.cjs <read descriptor> <write
// descriptor>`. Nothing here is a security boundary: the program shares this realm. The sandbox around the process isolates it,
// and the host does not trust its messages.
'use strict';
const process = require('node:process');
const { SourceTextModule, SyntheticModule } = require('node:vm');
const { createClock } = require('./clock.cjs');
const { compute } = require('./computations.cjs');
const { DoneStatus, FrameType, openChannel } = require('./frames.cjs');
const {
  askForModule,
  askNow,
  EXTRAS_MODULE,
  PROGRAM_MODULE,
  RUNTIME_MODULE,
  readNodeModule,
  readRuntimeModules,
  resolveModule,
} = require('./modules.cjs');

/** Globals of the language, and of Node that need nothing of the system. The runtime defines all others, the same as in other engines. */
const KEPT_GLOBALS = new Set(
  `Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp
Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError SuppressedError globalThis JSON
Math Intl ArrayBuffer DataView Uint8Array Int8Array Uint16Array Int16Array Uint32Array
Int32Array Float16Array Float32Array Float64Array Uint8ClampedArray BigUint64Array BigInt64Array BigInt Map Set WeakMap
WeakSet Proxy Reflect Iterator DisposableStack AsyncDisposableStack Temporal decodeURI
decodeURIComponent encodeURI encodeURIComponent escape unescape eval isFinite isNaN URL URLSearchParams Buffer
TextDecoder TextEncoder structuredClone atob btoa DOMException Event CustomEvent EventTarget AbortController AbortSignal ReadableStream
ReadableStreamDefaultReader WritableStream TransformStream ByteLengthQueuingStrategy CountQueuingStrategy`.split(/\s+/),
);
/** Node's own modules that compute only. The guest runtime has the others. */
const OWN_MODULES = new Map(
  [
    ...['assert', 'assert/strict', 'buffer', 'events', 'stream', 'stream/promises', 'stream/web', 'string_decoder'],
    ...['util', 'util/types'],
  ].map((name) => [resolveModule('/', name), `node:${name}`]),
);
/** V8's message when the system has no memory for a typed array. */
const NO_MEMORY = 'Array buffer allocation failed';

const nextTurn = setImmediate;
const { parse, stringify } = JSON;
const channel = openChannel(Number(process.argv[2]), Number(process.argv[3]));
const clock = createClock(channel);
const runtimeModules = readRuntimeModules();

let program = '';
let ended = false;
let rehearsing = true;
/** @type {any} */
let guest;
let unanswered = 0;
/** @type {import('./frames.cjs').Frame[]} */
const deferred = [];

/** @type {Map<string, import('node:vm').Module>} */
const modules = new Map();
/** @type {Map<import('node:vm').Module, Promise<void>>} */
const evaluations = new Map();
/** One graph links at a time: modules may be shared between graphs. */
let linking = Promise.resolve();

/** @param {string} path */
function sourceOf(path) {
  if (path === PROGRAM_MODULE) return program;
  const source = runtimeModules.get(path) ?? readNodeModule(path) ?? askForModule(channel, clock, path, deferred);
  if (typeof source !== 'string') throw source.error;
  return source;
}

/**
 * @param {string} request
 * @param {{ identifier: string }} referrer
 */
function findModule(request, referrer) {
  const path = resolveModule(referrer.identifier, request);
  const known = modules.get(path);
  if (known) return known;
  const own = OWN_MODULES.get(path);
  const module = own === undefined ? sourceModule(path) : syntheticModule(path, require(own));
  modules.set(path, module);
  return module;
}

/** @param {string} path */
function sourceModule(path) {
  const module = new SourceTextModule(sourceOf(path), {
    identifier: path,
    importModuleDynamically: (inner) => loadModule(inner, module),
  });
  return module;
}

/** @param {string} path @param {any} exported */
function syntheticModule(path, exported) {
  const names = Object.keys(exported).filter((name) => name !== 'default');
  const module = new SyntheticModule(
    [...names, 'default'],
    () => {
      for (const name of names) module.setExport(name, exported[name]);
      module.setExport('default', exported);
    },
    { identifier: path },
  );
  return module;
}

/**
 * Loads, links and evaluates an imported module.
 * @param {string} request
 * @param {{ identifier: string }} referrer
 */
async function loadModule(request, referrer) {
  const module = findModule(request, referrer);
  const linked = linking.then(() => (module.status === 'unlinked' ? module.link(findModule) : undefined));
  linking = linked.catch(forgetUnlinked);
  await linked;
  const evaluation = evaluations.get(module) ?? module.evaluate();
  evaluations.set(module, evaluation);
  await evaluation;
  return module;
}

/** Removes modules after a failed link, so that the next import starts again. */
function forgetUnlinked() {
  for (const [path, { status }] of modules) if (status === 'unlinked' || status === 'linking') modules.delete(path);
}

/**
 * @param {number} type
 * @param {number} id
 * @param {string} payload
 */
function send(type, id, payload) {
  if (ended) return;
  if (type === FrameType.request) unanswered++;
  ended = type === FrameType.done;
  if (rehearsing) return;
  if (ended && id === DoneStatus.failed && payload.includes(NO_MEMORY)) {
    const { name, message, stack } = parse(payload);
    if (name === 'RangeError' && message === NO_MEMORY) {
      clock.send(type, DoneStatus.stopped, stringify({ limit: 'memory', stack }));
      return;
    }
  }
  clock.send(type, id, payload);
}

const hasFrame = () => deferred.length > 0 || channel.ready();

/** Runs when all jobs of the program have run, so that it only waits for answers. */
function turn() {
  try {
    if (!ended && !hasFrame()) channel.flush();
    if (ended) {
      // If the process exited, the host could see the exit before the outcome.
      channel.waitForEnd();
      process.exit(0);
    }
    if (unanswered > 0) receive();
    else guest.stall();
  } catch (error) {
    // The program has changed built-ins that this code uses, or the host has closed the channel.
    const { name, message } = error instanceof Error ? error : new Error('The program broke the guest runtime.');
    try {
      send(FrameType.done, DoneStatus.failed, stringify({ name, message, stack: '' }));
      channel.flush();
    } finally {
      process.exit(0);
    }
  }
  nextTurn(turn);
}

/** Delivers one answer. Its jobs run before the next one, so that the program depends on the order of answers only, not on their times. */
function receive() {
  const frame = deferred.shift() ?? channel.next();
  if (!frame) process.exit(0);
  if (frame.type === FrameType.idle) {
    channel.send(FrameType.idle, frame.id, 'null');
    return;
  }
  // The host ends the process at the time limit.
  if (frame.type === FrameType.time) return;
  unanswered--;
  guest.deliver(frame.type === FrameType.reply, frame.id, frame.payload);
}

/** @param {string} path */
async function loadRuntime(path) {
  return /** @type {any} */ ((await loadModule(path, { identifier: path })).namespace);
}

/**
 * Runs an empty program before the first one arrives, because V8 compiles code at its first run.
 */
async function rehearse() {
  program = 'export default () => 0';
  guest.start({ seed: 0, messageBytes: 1 });
  await new Promise(nextTurn);
  modules.delete(PROGRAM_MODULE);
  ended = false;
  rehearsing = false;
}

async function main() {
  const { install } = await loadRuntime(RUNTIME_MODULE);
  const extras = await loadRuntime(EXTRAS_MODULE);
  // Node 20 has no `parse`. Object URLs need a store of the process.
  /** @type {any} */ (URL).parse ??= extras.parseUrl;
  for (const name of ['createObjectURL', 'revokeObjectURL']) Reflect.deleteProperty(URL, name);
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (!KEPT_GLOBALS.has(name)) delete (/** @type {Record<string, unknown>} */ (globalThis)[name]);
  }
  guest = install(send, clock.now, () => extras, {
    compute,
    askNow: (/** @type {string} */ payload) => askNow(channel, clock, payload, deferred),
    late: (/** @type {string} */ name) => require(`node:${name}`),
  });
  channel.send(FrameType.ready, 0, 'null');
  channel.flush();
  await rehearse();
  const first = channel.next();
  if (!first) process.exit(0);
  /** @type {import('./modules.cjs').Run} */
  const run = parse(first.payload);
  program = run.code;
  clock.start(run);
  const { seed, messageBytes, functions, keeps } = run;
  guest.start({ seed, messageBytes, functions, keeps });
  nextTurn(turn);
}

// Unhandled rejections and errors of the program are ignored, as in other engines.
process.on('unhandledRejection', () => undefined);
process.on('uncaughtException', () => undefined);
void main();
