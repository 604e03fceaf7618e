// `node:fs`: the functions of `node:fs/promises` with callbacks and without a wait, and streams.
import { Buffer } from 'node:buffer';
import { Readable, Writable } from 'node:stream';
import { run, runNow } from './drivers.js';
import { placeOf, streams, writtenOf } from './file-handle.js';
import { operations } from './operations.js';
import { promises } from './promised.js';
import { constants, Dir, Dirent, pathOf, Stats, systemError } from './values.js';

/** @type {any} */
const files = /** @type {any} */ (globalThis).fs;
const PIECE_BYTES = 65_536;
/** Bytes that a stream stores at once: a smaller file is written in one step. */
const STORED_BYTES = 1024 * 1024;

/** @param {any} given @param {any} [options] */
export function createReadStream(given, options) {
  const settings = typeof options === 'string' ? { encoding: options } : (options ?? {});
  const { encoding, start = 0, end = Number.POSITIVE_INFINITY, highWaterMark = PIECE_BYTES } = settings;
  const path = pathOf(given);
  async function* pieces() {
    const file = await run(operations.open(path));
    for (let at = start; at <= end; ) {
      const bytes = await run(file.read(Math.min(highWaterMark, end - at + 1), at));
      if (bytes.length === 0) return;
      yield bytes;
      at += bytes.length;
    }
  }
  const stream = Readable.from(pieces(), { objectMode: false, highWaterMark });
  if (encoding) stream.setEncoding(encoding);
  return Object.assign(stream, { path });
}

/** @param {any} given @param {any} [options] */
export function createWriteStream(given, options) {
  const path = pathOf(given);
  const settings = typeof options === 'string' ? { encoding: options } : (options ?? {});
  /** @type {Uint8Array[]} */
  let pieces = [];
  let held = 0;
  const appends = settings.flags?.startsWith('a') === true;
  // Until its end, a larger file has another name: a program that is killed leaves whole files.
  const unfinished = `${path}.part`;
  let isBegun = false;
  const store = async (/** @type {string} */ target) => {
    const data = Buffer.concat(pieces);
    [pieces, held] = [[], 0];
    await (appends || isBegun ? files.appendFile : files.writeFile)(target, data);
    isBegun = true;
  };
  const finish = async () => {
    const isWhole = appends || !isBegun;
    await store(isWhole ? path : unfinished);
    if (!isWhole) await files.rename(unfinished, path);
  };
  const stream = new Writable({
    defaultEncoding: settings.encoding ?? 'utf8',
    write(piece, _encoding, done) {
      pieces.push(Buffer.from(piece));
      held += piece.length;
      if (held < STORED_BYTES) done();
      else store(appends ? path : unfinished).then(() => done(), done);
    },
    final(done) {
      finish().then(() => done(), done);
    },
  });
  return Object.assign(stream, { path });
}

streams.read = createReadStream;
streams.write = createWriteStream;

/** Open files of functions without handles, by their descriptor. @type {Map<number, any>} */
const descriptors = new Map();
const FIRST_DESCRIPTOR = 100;

/** @param {number} fd @param {string} syscall */
function opened(fd, syscall) {
  const file = descriptors.get(fd);
  if (file === undefined) throw systemError('EBADF', syscall);
  return file;
}

/** @param {any} target */
const fileOf = (target) => (typeof target === 'number' ? opened(target, 'read') : target);

/** @param {any} path @param {any} [flags] */
export function openSync(path, flags) {
  const file = runNow(operations.open(path, flags));
  const fd = FIRST_DESCRIPTOR + descriptors.size;
  descriptors.set(fd, file);
  return fd;
}

/** @param {number} fd */
export function closeSync(fd) {
  opened(fd, 'close').isClosed = true;
  descriptors.set(fd, undefined);
}

/** @param {number} fd @param {any[]} given */
export function readSync(fd, ...given) {
  const { buffer, offset, length, position } = placeOf(.../** @type {[any, ...any[]]} */ (given));
  const bytes = runNow(opened(fd, 'read').read(length, position));
  new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength).set(bytes, offset);
  return bytes.length;
}

/** @param {number} fd @param {any} data @param {any[]} rest */
export function writeSync(fd, data, ...rest) {
  const { bytes, position } = writtenOf(data, ...rest);
  return runNow(opened(fd, 'write').write(bytes, position));
}

/** @param {number} fd */
export const fstatSync = (fd) => new Stats(runNow(opened(fd, 'fstat').stat()));
/** @param {number} fd @param {number} [length] */
export const ftruncateSync = (fd, length) => runNow(opened(fd, 'ftruncate').truncate(length));
/** Each write is stored at once. @param {number} fd */
export const fsyncSync = (fd) => void opened(fd, 'fsync');

/** @param {any} path */
export function existsSync(path) {
  try {
    return files.existsSync(pathOf(path));
  } catch {
    return false;
  }
}

/** @param {any} path @param {(exists: boolean) => void} callback */
export const exists = (path, callback) => files.exists(pathOf(path)).then(callback);

const { open: _open, ...named } = operations;
const immediate = /** @type {Record<string, (...args: any[]) => any>} */ (
  Object.fromEntries(
    Object.entries(named).map(([name, steps]) => [
      `${name}Sync`,
      (/** @type {any} */ target, /** @type {any[]} */ ...rest) =>
        runNow(/** @type {any} */ (steps)(fileOf(target), ...rest)),
    ]),
  )
);
const withCallback = /** @type {Record<string, (...args: any[]) => any>} */ (
  Object.fromEntries(
    Object.keys(named).map((name) => [
      name,
      (/** @type {any[]} */ ...args) => {
        const callback = args.at(-1);
        const call = /** @type {any} */ (promises)[name];
        // Without a callback, a function returns a promise: programs forget the difference.
        if (typeof callback !== 'function') return call(...args);
        call(...args.slice(0, -1)).then((/** @type {any} */ value) => callback(null, value), callback);
        return undefined;
      },
    ]),
  )
);

export const { readFile, writeFile, appendFile, readdir, opendir, stat, lstat, access, mkdir, mkdtemp, rm } =
  withCallback;
export const { unlink, rmdir, rename, copyFile, cp, truncate, realpath, readlink, symlink, link, chmod } = withCallback;
export const { readFileSync, writeFileSync, appendFileSync, readdirSync, opendirSync, statSync, lstatSync } = immediate;
export const { accessSync, mkdirSync, mkdtempSync, rmSync, unlinkSync, rmdirSync, renameSync, copyFileSync } =
  immediate;
export const { cpSync, truncateSync, realpathSync, readlinkSync, symlinkSync, linkSync, chmodSync } = immediate;
export { constants, Dir, Dirent, promises, Stats };
export default {
  ...withCallback,
  ...immediate,
  ...{ existsSync, exists, openSync, closeSync, readSync, writeSync, fstatSync, ftruncateSync, fsyncSync },
  ...{ createReadStream, createWriteStream, constants, promises, Dir, Dirent, Stats },
};
