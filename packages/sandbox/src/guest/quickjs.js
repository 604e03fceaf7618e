// Runs guest programs in QuickJS (WebAssembly), one after another. Each finds the memory of the engine as it was before the first
// one. The host ends this process after a limit, an engine fault or a change of tenant.
import { setFlagsFromString } from 'node:v8';
import releaseVariant from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core';
import { createClock } from './clock.cjs';
import { compute } from './computations.cjs';
import { DoneStatus, FrameType, openChannel } from './frames.cjs';
import { takeSnapshot } from './memory-snapshot.js';
import {
  askForModule,
  askNow,
  EXTRAS_MODULE,
  INTL_MODULE,
  PROGRAM_MODULE,
  RUNTIME_MODULE,
  readNodeModule,
  readRuntimeModules,
  resolveModule,
} from './modules.cjs';

/** @typedef {import('quickjs-emscripten-core').QuickJSHandle} Handle */
/** @typedef {import('./modules.cjs').Run} Run */

const CHANNEL_DESCRIPTOR = 3;
const WASM_PAGE_BYTES = 65_536;
const WASM_INITIAL_PAGES = 256;
/** Memory of the engine's code and tables, which its memory limit does not count. */
const ENGINE_BYTES = 24 * 1024 * 1024;
/** About 3,000 nested calls; the process's own stack (--stack-size) is sized to hold it. */
const GUEST_STACK_BYTES = 512 * 1024;
const JOBS_PER_BATCH = 1_000;
/** Bytes of a character of a JavaScript string in UTF-8. */
const MAX_UTF8_BYTES = 3;
/**
 * Work of a function of the engine after which V8 compiles it again, optimised. V8's default compiles much of the engine
 * before the first program, which takes more time than most programs.
 */
const OPTIMISED_AFTER = 500_000_000;

/** The runtime's message when the engine throws null, because there is no memory for an error. */
const THREW_NULL = 'The program threw object: null';

/** The address space of the engine's module, minus its own memory. It caps higher limits. */
const MAX_MEMORY_BYTES = 2 * 1024 * 1024 * 1024 - ENGINE_BYTES;

/** The state of a guest before each program. */
const FIRST_STATE = { program: '', deadline: Number.POSITIVE_INFINITY, ended: false, timedOut: false, unanswered: 0 };

// Programs find the same time zone on every machine.
process.env.TZ = 'UTC';
setFlagsFromString(`--wasm-tiering-budget=${OPTIMISED_AFTER}`);
const memoryBytes = Math.min(Number(process.argv[2]), MAX_MEMORY_BYTES);
// The installed types contain neither WebAssembly nor this variant's default export.
const { WebAssembly } = /** @type {any} */ (globalThis);
const wasmMemory = new WebAssembly.Memory({
  initial: WASM_INITIAL_PAGES,
  maximum: Math.ceil((memoryBytes + ENGINE_BYTES) / WASM_PAGE_BYTES),
});
const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(/** @type {any} */ (releaseVariant), { wasmMemory }));
const runtimeModules = readRuntimeModules();
const channel = openChannel(CHANNEL_DESCRIPTOR, CHANNEL_DESCRIPTOR);

/** Returns whether the guest's memory has reached its limit. WebAssembly memory never shrinks. */
function ranOutOfMemory() {
  return wasmMemory.buffer.byteLength >= memoryBytes;
}

/** Creates the guest before its first program arrives. */
function createGuest() {
  const runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(memoryBytes);
  runtime.setMaxStackSize(GUEST_STACK_BYTES);
  const context = runtime.newContext();
  const state = { ...FIRST_STATE };
  /** @type {import('./frames.cjs').Frame[]} */
  const deferred = [];
  const clock = createClock(channel);
  runtime.setInterruptHandler(() => {
    state.timedOut ||= Date.now() >= state.deadline;
    return state.timedOut;
  });

  const now = context.newFunction('now', () => context.newNumber(clock.now()));
  const send = context.newFunction('send', (type, id, payload) => {
    const frameType = context.getNumber(type);
    const text = context.getString(payload);
    if (frameType === FrameType.request) state.unanswered++;
    if (frameType !== FrameType.done) clock.send(frameType, context.getNumber(id), text);
    else if (!state.ended) {
      state.ended = true;
      // The interrupt rejects the promise of an async function: the runtime then reports that as an error.
      if (state.timedOut) reportStop('timeout', text.startsWith('{') ? JSON.parse(text).stack : '');
      else if (text.includes(THREW_NULL) && ranOutOfMemory()) reportStop('memory');
      else clock.send(frameType, context.getNumber(id), text);
    }
  });

  runtime.setModuleLoader(
    (path) => {
      if (path === PROGRAM_MODULE) return state.program;
      return runtimeModules.get(path) ?? readNodeModule(path) ?? askForModule(channel, clock, path, deferred);
    },
    (base, request) => resolveModule(base, request),
  );
  const load = (/** @type {string} */ path) =>
    context.unwrapResult(context.evalCode(`export * from '${path}';`, `/toolwright/load${path}`, { type: 'module' }));
  const exports = load(RUNTIME_MODULE);
  const extras = context.newFunction('extras', () => load(EXTRAS_MODULE));
  const late = context.newFunction('late', (name) => load(resolveModule('/', `node:${context.getString(name)}`)));
  const asked = context.newFunction('askNow', (payload) => {
    const answer = askNow(channel, clock, context.getString(payload), deferred);
    return newText(context, JSON.stringify(answer));
  });
  const computed = context.newFunction('compute', (name, args, bytes) => {
    const given = bytes && context.typeof(bytes) !== 'undefined' ? context.getArrayBuffer(bytes) : undefined;
    const answer = compute(context.getString(name), context.getString(args), given?.value.slice().buffer);
    given?.dispose();
    return typeof answer === 'string' ? newText(context, answer) : newArrayBuffer(context, answer);
  });
  const engine = context.newObject();
  for (const [name, handle] of Object.entries({ compute: computed, askNow: asked, late }))
    context.setProp(engine, name, handle);
  const installed = context.unwrapResult(context.callMethod(exports, 'install', [send, now, extras, engine]));
  context.unwrapResult(context.callMethod(load(INTL_MODULE), 'installIntl', [now])).dispose();
  const deliver = context.getProp(installed, 'deliver');
  const stall = context.getProp(installed, 'stall');
  // The handles of the host's functions stay: a program must not be able to free them.
  const snapshot = takeSnapshot(wasmMemory);
  return {
    ...{ runtime, context, state, installed, deliver, stall, deferred, clock },
    /** Forgets the last program. */
    reset() {
      snapshot.restore();
      deferred.length = 0;
      Object.assign(state, FIRST_STATE);
    },
  };
}

/**
 * Copies bytes into the guest. Raises an error if it has no memory for them: the library does not check.
 * @param {import('quickjs-emscripten-core').QuickJSContext} context
 * @param {ArrayBuffer} bytes
 */
function newArrayBuffer(context, bytes) {
  const { module } = /** @type {any} */ (context);
  const place = module._malloc(bytes.byteLength);
  if (place === 0) throw new RangeError('The memory of the program is full.');
  module._free(place);
  return context.newArrayBuffer(bytes);
}

/**
 * Copies a text into the guest. Raises an error if it has no memory for it: the library does not check.
 * @param {import('quickjs-emscripten-core').QuickJSContext} context
 * @param {string} text
 */
function newText(context, text) {
  const { module } = /** @type {any} */ (context);
  const place = module._malloc(text.length * MAX_UTF8_BYTES + 1);
  if (place === 0) throw new RangeError('The memory of the program is full.');
  module._free(place);
  return context.newString(text);
}

/**
 * Runs one program to its end. Returns whether this process may run another one.
 * @param {ReturnType<typeof createGuest>} guest
 * @param {Run} run
 */
function execute(guest, run) {
  const { runtime, context, state, installed, deliver, stall, deferred, clock } = guest;
  state.deadline = Date.now() + run.timeoutMs;
  state.program = run.code;

  /** @param {Handle} error */
  const fail = (error) => {
    const dumped = context.dump(error);
    error.dispose();
    state.ended = true;
    const { name = 'Error', message = String(dumped), stack = '' } = dumped ?? {};
    if (state.timedOut) return reportStop('timeout', stack);
    if (dumped === null && ranOutOfMemory()) return reportStop('memory');
    if (name === 'InternalError' && message === 'out of memory') return reportStop('memory', stack);
    return reportFailure(String(name), String(message), String(stack));
  };

  const { seed, messageBytes, functions, keeps } = run;
  clock.start(run);
  const settings = context.unwrapResult(
    context.evalCode(`(${JSON.stringify({ seed, messageBytes, functions, keeps })})`),
  );
  const started = context.callMethod(installed, 'start', [settings]);
  settings.dispose();
  if (started.error) {
    fail(started.error);
    return false;
  }

  while (!state.ended) {
    const jobs = runtime.executePendingJobs(JOBS_PER_BATCH);
    if (jobs.error) fail(jobs.error);
    else if (Date.now() >= state.deadline) {
      state.timedOut = true;
      state.ended = true;
      reportStop('timeout');
    } else if (!state.ended && jobs.value < JOBS_PER_BATCH) {
      if (!hasFrame()) channel.flush();
      if (state.unanswered > 0) receive();
      else context.callFunction(stall, context.undefined).dispose();
    }
  }
  channel.flush();
  const grown = wasmMemory.buffer.byteLength > ENGINE_BYTES + memoryBytes / 2;
  return !state.timedOut && !grown;

  function hasFrame() {
    return deferred.length > 0 || channel.ready();
  }

  /** Delivers one answer. Its jobs run before the next one, so that the program depends on the order of answers only, not on their times. */
  function receive() {
    const frame = deferred.shift() ?? channel.next();
    if (!frame) process.exit(0);
    if (frame.type === FrameType.idle) {
      channel.send(FrameType.idle, frame.id, 'null');
      return;
    }
    if (frame.type === FrameType.time) {
      const leftMs = JSON.parse(frame.payload);
      state.deadline = leftMs === null ? Number.POSITIVE_INFINITY : Date.now() + leftMs;
      return;
    }
    state.unanswered--;
    const payload = context.newString(frame.payload);
    const id = context.newNumber(frame.id);
    const ok = frame.type === FrameType.reply ? context.true : context.false;
    const delivered = context.callFunction(deliver, context.undefined, ok, id, payload);
    payload.dispose();
    id.dispose();
    if (delivered.error) fail(delivered.error);
    else delivered.value.dispose();
  }
}

/**
 * @param {'timeout' | 'memory'} limit
 * @param {unknown} [stack]
 */
function reportStop(limit, stack = '') {
  channel.send(FrameType.done, DoneStatus.stopped, JSON.stringify({ limit, stack }));
}

/**
 * @param {string} name
 * @param {string} message
 * @param {string} [stack]
 */
function reportFailure(name, message, stack = '') {
  channel.send(FrameType.done, DoneStatus.failed, JSON.stringify({ name, message, stack }));
}

/**
 * @param {ReturnType<typeof createGuest>} guest
 * @param {Run} run
 */
function executeOrReport(guest, run) {
  try {
    return execute(guest, run);
  } catch (error) {
    // The engine overflowed this process's stack or aborted. Its state is lost, so the failure has no stack.
    reportFailure(
      error instanceof RangeError ? 'RangeError' : 'InternalError',
      error instanceof Error ? error.message : String(error),
    );
    channel.flush();
    return false;
  }
}

const guest = createGuest();
for (;;) {
  channel.send(FrameType.ready, 0, 'null');
  channel.flush();
  let frame = channel.next();
  // Skips answers to requests that the previous program did not await.
  while (frame && frame.type !== FrameType.run) frame = channel.next();
  if (!frame || !executeOrReport(guest, JSON.parse(frame.payload))) break;
  guest.reset();
}
channel.send(FrameType.retired, 0, 'null');
channel.waitForEnd();
process.exit(0);
