// Runs one Python program in CPython compiled to WebAssembly, then exits. `node pyodide.js run <bytes of memory> [<folder with packages>]` expects the
// channel as descriptor 3 and a snapshot of the interpreter's memory as descriptor 4. `node pyodide.js snapshot` writes a
// snapshot to descriptor 3.

import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, readdirSync, readFileSync, readSync, writeSync } from 'node:fs';
import process from 'node:process';
import { DoneStatus, FrameType, openChannel } from './frames.cjs';
import { limitMemory } from './pyodide/budget.js';
import { Ended, Refused } from './pyodide/import-filter.js';
import { enableSignals, INITIAL_PAGES, openInterpreter, PAGE_BYTES, runPython } from './pyodide/interpreter.js';

const CHANNEL_DESCRIPTOR = 3;
const SNAPSHOT_DESCRIPTOR = 4;
/** Bytes before the memory in a snapshot: the digest, which the host has checked. */
const DIGEST_BYTES = 32;
/** The snapshot is read in parts of this size. */
const PART_BYTES = 64 * 1024;
/** The maximum of a module with 32-bit addresses. */
const MAX_PAGES = 65_535;
const ENGINE_FOLDER = '/lib/python3.14/site-packages/toolwright_guest';
/** Exit codes of the engine after it has reported the outcome. */
const QUIET_EXITS = new Set([77, 78]);

const alarm = { due: Number.POSITIVE_INFINITY };
const collect = takeCollector();
const channel = {
  read: (/** @type {Uint8Array} */ target) => readSync(CHANNEL_DESCRIPTOR, target, 0, target.length, null),
  write: writeAll,
};

/** Returns the function of Node's flag `--expose-gc`, and removes it from the globals. */
function takeCollector() {
  const { gc } = /** @type {any} */ (globalThis);
  Reflect.deleteProperty(globalThis, 'gc');
  return /** @type {() => void} */ (gc);
}

/** @param {Uint8Array} data */
function writeAll(data) {
  for (let offset = 0; offset < data.length; ) offset += writeSync(CHANNEL_DESCRIPTOR, data, offset);
}

async function makeSnapshot() {
  const module = await openInterpreter({ maxPages: MAX_PAGES, start: true, channel, alarm });
  for (const folder of ['python/', 'pyodide/']) {
    const url = new URL(folder, import.meta.url);
    const names = readdirSync(url, { recursive: true, encoding: 'utf8' });
    for (const file of names.filter((name) => name.endsWith('.py'))) {
      const path = `${ENGINE_FOLDER}/${file}`;
      module.FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
      module.FS.writeFile(path, readFileSync(new URL(file, url)));
    }
  }
  if (!runPython(module, 'import toolwright_guest.engine')) throw new Error('The guest runtime did not load.');
  if (module.HEAPU8.length !== INITIAL_PAGES * PAGE_BYTES) throw new Error('The guest runtime took too much memory.');
  writeAll(module.HEAPU8);
}

/**
 * @param {number} memoryBytes
 * @param {string | undefined} packages folder with packages
 */
async function runProgram(memoryBytes, packages) {
  const maxPages = Math.min(MAX_PAGES, INITIAL_PAGES + Math.ceil(memoryBytes / PAGE_BYTES));
  const module = await openInterpreter({
    maxPages,
    start: false,
    channel,
    alarm,
    ...(packages !== undefined && { packages }),
  });
  readSnapshot(module.HEAPU8);
  enableSignals(module);
  const memory = limitMemory(module, memoryBytes, collect);
  module.heap.grow = memory.grow;
  // The module's text and the buffers of its start are not needed any more. The second collection waits for the end of the first:
  // the host reads the memory of this process before the program runs.
  collect();
  collect();
  const frames = openChannel(CHANNEL_DESCRIPTOR, CHANNEL_DESCRIPTOR);
  frames.send(FrameType.ready, 0, 'null');
  frames.flush();
  const frame = frames.next();
  if (!frame) return;
  alarm.due = performance.now() + JSON.parse(frame.payload).timeoutMs;
  try {
    // A JSON string is also a Python string.
    const parameters = `${module.channelDescriptor}, ${JSON.stringify(frame.payload)}`;
    runPython(module, `from toolwright_guest.engine import run_program; run_program(${parameters})`);
    throw new Error('The interpreter stopped without an outcome.');
  } catch (error) {
    if (error instanceof Ended && QUIET_EXITS.has(error.code)) return frames.waitForEnd();
    if (memory.refused) frames.send(FrameType.done, DoneStatus.stopped, JSON.stringify({ limit: 'memory', stack: '' }));
    else frames.send(FrameType.done, DoneStatus.failed, JSON.stringify({ ...failureOf(error), stack: '' }));
    frames.flush();
  }
  frames.waitForEnd();
}

/**
 * Reads the snapshot into the interpreter's memory.
 * @param {Uint8Array} memory
 */
function readSnapshot(memory) {
  const end = fstatSync(SNAPSHOT_DESCRIPTOR).size - DIGEST_BYTES;
  if (end !== memory.length)
    throw new Error(`The snapshot has ${end} bytes, but the interpreter needs ${memory.length}.`);
  const part = Buffer.allocUnsafeSlow(PART_BYTES);
  for (let offset = 0; offset < end; ) {
    const count = readSync(SNAPSHOT_DESCRIPTOR, part, 0, PART_BYTES, DIGEST_BYTES + offset);
    if (count === 0) throw new Error('The snapshot was truncated.');
    // Half of the snapshot is zero, like new memory: the system has no pages for it until the program writes there.
    if (!part.subarray(0, count).equals(memory.subarray(offset, offset + count)))
      memory.set(part.subarray(0, count), offset);
    offset += count;
  }
  closeSync(SNAPSHOT_DESCRIPTOR);
}

/**
 * Returns the failure of a program that ended the interpreter.
 * @param {unknown} error
 */
function failureOf(error) {
  if (error instanceof RangeError)
    return { name: 'RecursionError', message: 'The calls of the program nest too deeply.' };
  if (error instanceof Refused) {
    return {
      name: 'PermissionError',
      message: `Nothing outside of Python can be reached from it: ${error.message} is not available.`,
    };
  }
  const how = error instanceof Ended ? error.message : String(error);
  return { name: 'SystemError', message: `The program ended its process (${how}) before it gave a result.` };
}

if (process.argv[2] === 'snapshot') await makeSnapshot();
else await runProgram(Number(process.argv[3]), process.argv[4]);
process.exit(0);
