// Pyodide's CPython without Pyodide: the compiled interpreter, with files in memory and one descriptor to the host. Its bridge to
// JavaScript is never initialised, and the import filter blocks it.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { closeGate, Ended } from './import-filter.js';
import { setMemoryPages } from './memory.js';
import { placePackages } from './packages.js';
import { refuseLongPaths } from './paths.js';
import { placeZones } from './zones.js';

const PYTHON_FOLDER = '/lib/python3.14';
const LIBRARY_ARCHIVE = '/lib/python314.zip';
const HOME = '/home';
/** The folder of the program's files. */
const WORKSPACE = '/workspace';
/** The channel's path in the interpreter before it is open. */
const CHANNEL_DEVICE = '/dev/channel';
const CHANNEL_DEVICE_NUMBERS = [64, 0];
const READ_AND_WRITE = 2;

export const PAGE_BYTES = 65_536;
const SIGALRM = 14;
/** Number of the interpreter's checks for signals between two readings of the clock. */
const LOOK_EVERY = 32;
/** Pages of memory at the start of the interpreter, and in its snapshot. */
export const INITIAL_PAGES = 480;

// `require.resolve` of Node 22 and later fails at the first `node_modules` folder that the permissions of the process exclude.
const resolve = (/** @type {string} */ path) => fileURLToPath(import.meta.resolve(path));

/**
 * @typedef {object} InterpreterOptions
 * @property {number} maxPages of memory, of 64 KiB each
 * @property {boolean} start whether to start Python. Otherwise read a snapshot into the memory
 * @property {{ read(target: Uint8Array): number, write(data: Uint8Array): void }} channel
 * @property {string} [packages] folder with packages. Default: none
 * @property {{ due: number }} alarm time of the next SIGALRM for Python, on the clock of `performance.now()`
 */

/**
 * @param {InterpreterOptions} options
 * @returns {Promise<any>} Emscripten's module
 */
export async function openInterpreter({ maxPages, start, channel, alarm, packages }) {
  hideNode();
  const { default: createModule } = await import(import.meta.resolve('pyodide/pyodide.asm.mjs'));
  /** @type {{ grow?: (size: number) => boolean }} */
  const heap = {};
  const module = await createModule({
    API: { config: { env: {}, jsglobals: {} }, runtimeEnv: {} },
    thisProgram: '/python',
    arguments: [],
    noInitialRun: !start,
    // The runtime replaces Python's streams. Output to their descriptors is discarded.
    print: () => undefined,
    printErr: () => undefined,
    preRun: [
      placeLibrary,
      ...(packages === undefined ? [] : [(/** @type {any} */ { FS }) => placePackages(FS, packages)]),
    ],
    locateFile: (/** @type {string} */ file) => resolve(`pyodide/${file}`),
    instantiateWasm(/** @type {any} */ imports, /** @type {any} */ received) {
      const end = (/** @type {number} */ code) => {
        throw new Ended(code);
      };
      const abort = () => end(134);
      const resize = imports.env.emscripten_resize_heap;
      closeGate(imports.env, {
        _Py_CheckEmscriptenSignals_Helper: askForSignal(alarm),
        emscripten_resize_heap: (/** @type {number} */ size) => Number((heap.grow ?? resize)(size >>> 0)),
        proc_exit: end,
        exit: end,
        _abort_js: abort,
        __assert_fail: abort,
      });
      const { WebAssembly } = /** @type {any} */ (globalThis);
      const wasm = readFileSync(resolve('pyodide/pyodide.asm.wasm'));
      setMemoryPages(wasm, INITIAL_PAGES, maxPages);
      const compiled = new WebAssembly.Module(wasm);
      /** @type {any} */
      let instance;
      refuseLongPaths(imports.env, () => instance.exports.memory.buffer);
      instance = new WebAssembly.Instance(compiled, imports);
      received(instance, compiled);
      return {};
    },
  });
  module.channelDescriptor = openChannelDevice(module.FS, channel);
  module.heap = heap;
  return module;
}

/**
 * Returns globals of a browser's worker, without files, processes and network: Emscripten detects its platform by globals, so it
 * never uses those of Node.
 */
function hideNode() {
  for (const name of ['process', 'navigator', 'fetch', 'WebSocket', 'EventSource'])
    Reflect.deleteProperty(globalThis, name);
  Object.assign(globalThis, { WorkerGlobalScope: Object });
}

/**
 * Sends SIGALRM to Python between two instructions: this process has no other thread, and its event loop does not run.
 * @param {{ due: number }} alarm
 */
function askForSignal(alarm) {
  let asked = 0;
  return () => (++asked % LOOK_EVERY === 0 && performance.now() >= alarm.due ? SIGALRM : 0);
}

/** @param {any} module */
function placeLibrary({ FS, ENV }) {
  FS.mkdirTree(`${PYTHON_FOLDER}/site-packages`);
  FS.mkdirTree(`${PYTHON_FOLDER}/lib-dynload`);
  FS.mkdirTree(WORKSPACE);
  placeZones(FS);
  FS.writeFile(LIBRARY_ARCHIVE, readFileSync(resolve('pyodide/python_stdlib.zip')), { canOwn: true });
  Object.assign(ENV, { HOME, PYTHONINSPECT: '1', PYTHONDONTWRITEBYTECODE: '1' });
}

/**
 * @param {any} FS
 * @param {InterpreterOptions['channel']} channel
 */
function openChannelDevice(FS, channel) {
  const device = FS.makedev(...CHANNEL_DEVICE_NUMBERS);
  /** @param {Int8Array} memory @param {number} offset @param {number} length */
  const view = (memory, offset, length) => new Uint8Array(memory.buffer, offset, length);
  FS.registerDevice(device, {
    /** @type {(stream: any, memory: Int8Array, offset: number, length: number) => number} */
    read: (_stream, memory, offset, length) => channel.read(view(memory, offset, length)),
    /** @type {(stream: any, memory: Int8Array, offset: number, length: number) => number} */
    write: (_stream, memory, offset, length) => {
      channel.write(view(memory, offset, length));
      return length;
    },
  });
  FS.mkdev(CHANNEL_DEVICE, device);
  const { fd } = FS.open(CHANNEL_DEVICE, READ_AND_WRITE);
  FS.unlink(CHANNEL_DEVICE);
  return fd;
}

/**
 * Enables the interpreter's checks for signals. The switch is in its memory: call this after a snapshot was read.
 * @param {any} module
 */
export function enableSignals(module) {
  module.HEAP8[module._Py_EMSCRIPTEN_SIGNAL_HANDLING] = 1;
}

/**
 * Runs Python source in the interpreter's `__main__`. Returns false if it raised an error.
 * @param {any} module
 * @param {string} source
 */
export function runPython(module, source) {
  return module._PyRun_SimpleString(module.stringToNewUTF8(source)) === 0;
}
