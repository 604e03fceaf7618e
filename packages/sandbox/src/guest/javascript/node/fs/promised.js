// The functions of `node:fs/promises`: as Node's, for the files that the host provides.
import { Buffer } from 'node:buffer';
import { run } from './drivers.js';
import { FileHandle } from './file-handle.js';
import { operations } from './operations.js';
import { bytesOf, constants } from './values.js';

const { exists } = /** @type {any} */ (globalThis).fs;

/** @param {any} target */
const fileOf = (target) => (target instanceof FileHandle ? target.file : target);

/** Collects the pieces of a stream or another iterable. @param {any} data */
async function collected(data) {
  if (typeof data !== 'object' || data === null || ArrayBuffer.isView(data)) return data;
  if (data[Symbol.asyncIterator] === undefined && data[Symbol.iterator] === undefined) return data;
  const pieces = [];
  for await (const piece of data) pieces.push(bytesOf(piece));
  return Buffer.concat(pieces);
}

/** @param {any} options */
function check(options) {
  const { aborted = false, reason } = options?.signal ?? {};
  if (!aborted) return;
  const error = new Error('The operation was aborted', { cause: reason });
  throw Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' });
}

const simple = /** @type {Record<string, (...args: any[]) => Promise<any>>} */ (
  Object.fromEntries(
    Object.entries(operations).map(([name, steps]) => [
      name,
      async (/** @type {any[]} */ ...args) => run(/** @type {any} */ (steps)(...args)),
    ]),
  )
);

export const promises = {
  ...simple,
  /** @param {any} source @param {any} [options] */
  async readFile(source, options) {
    check(options);
    return run(operations.readFile(fileOf(source), options));
  },
  /** @param {any} target @param {any} data @param {any} [options] */
  async writeFile(target, data, options) {
    check(options);
    await run(operations.writeFile(fileOf(target), await collected(data), options));
  },
  /** @param {any} target @param {any} data @param {any} [options] */
  async appendFile(target, data, options) {
    await run(operations.appendFile(fileOf(target), data, options));
  },
  /** @param {any} path @param {any} [flags] */
  async open(path, flags) {
    return new FileHandle(await run(operations.open(path, flags)));
  },
  ...{ exists, constants },
};
