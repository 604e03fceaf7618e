// The functions of `node:fs` as steps: each step is a request, which the driver sends and waits for, or answers at once.
import { Buffer } from 'node:buffer';
import { dirname, join, normalize } from 'node:path';
import { noteChange, OpenFile, openFile } from './open-file.js';
import {
  absolute,
  argumentError,
  bytesOf,
  constants,
  Dir,
  Dirent,
  described,
  encodingOf,
  pathOf,
  Stats,
  systemError,
} from './values.js';

/** @typedef {import('./open-file.js').Steps} Steps */

const SUFFIX = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const SUFFIX_LENGTH = 6;

/** Runs steps, and gives their errors the members of Node's. @param {string} syscall @param {Steps} steps @param {string} [path] @param {string} [dest] @returns {Steps} */
function* named(syscall, steps, path, dest) {
  try {
    return yield* steps;
  } catch (error) {
    const { syscall: known } = /** @type {any} */ (error);
    throw known === undefined ? described(error, { syscall, path, dest }) : error;
  }
}

/** @param {any[]} request @returns {Steps} */
function* ask(...request) {
  return yield request;
}

/** Returns the entry of a path; undefined if there is none. @param {string} path @returns {Steps} */
function* look(path) {
  try {
    return yield ['stat', path];
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(/** @type {any} */ (error).code)) return undefined;
    throw error;
  }
}

/** @param {any} source @param {any} [options] @returns {Steps} */
function* readFile(source, options) {
  const encoding = encodingOf(options);
  const path = source instanceof OpenFile ? source.path : pathOf(source);
  const content = yield* source instanceof OpenFile
    ? source.rest()
    : named('open', whole(path, encoding ?? null), path);
  if (typeof content === 'string') return content;
  const bytes = Buffer.from(content);
  return encoding === undefined ? bytes : bytes.toString(encoding);
}

/** Reads a file in one request, or in parts if it is larger. @param {string} path @param {any} encoding @returns {Steps} */
function* whole(path, encoding) {
  try {
    return yield ['readFile', path, encoding];
  } catch (error) {
    if (/** @type {any} */ (error).code !== 'EFBIG') throw error;
    return yield* (yield* openFile(path)).rest();
  }
}

/** @param {any} target @param {any} data @param {any} [options] @returns {Steps} */
function* writeFile(target, data, options) {
  const bytes = typeof data === 'string' && encodingOf(options) === undefined ? data : bytesOf(data, options);
  if (target instanceof OpenFile) return void (yield* target.write(bytesOf(bytes)));
  const path = pathOf(target);
  const flag = options?.flag ?? 'w';
  noteChange();
  if (flag === 'w') return void (yield* named('open', ask('writeFile', path, bytes), path));
  if (flag === 'a') return void (yield* named('open', ask('appendFile', path, bytes), path));
  yield* (yield* named('open', openFile(path, flag), path)).write(bytesOf(bytes));
}

/** @param {any} target @param {any} data @param {any} [options] @returns {Steps} */
function* appendFile(target, data, options) {
  const settings = typeof options === 'string' ? { encoding: options } : options;
  yield* writeFile(target, data, { flag: 'a', ...settings });
}

/** @param {any} folder @param {any} [options] @returns {Steps} */
function* readdir(folder, options) {
  const path = pathOf(folder);
  const { recursive = false, withFileTypes = false } = typeof options === 'object' && options !== null ? options : {};
  const entries = yield* named('scandir', ask('readdir', path, { recursive, withFileTypes: true }), path);
  if (!withFileTypes) return entries.map((/** @type {any} */ { name }) => name);
  return direntsOf(entries, path);
}

/** @param {any[]} entries @param {string} folder */
function direntsOf(entries, folder) {
  return entries.map((entry) => new Dirent(entry.name, folder, entry.isFile() ? 'file' : 'directory'));
}

/** @param {any} folder @param {any} [options] @returns {Steps} */
function* opendir(folder, options) {
  const path = pathOf(folder);
  const request = ask('readdir', path, { recursive: options?.recursive, withFileTypes: true });
  return new Dir(path, direntsOf(yield* named('opendir', request, path), path));
}

/** @param {string} syscall */
const statAs = (syscall) =>
  /** @param {any} given @param {any} [options] @returns {Steps} */
  function* (given, options) {
    const path = pathOf(given);
    if (options?.bigint) throw argumentError('ERR_INVALID_ARG_VALUE', 'The sandbox has no statistics with bigint.');
    if (options?.throwIfNoEntry === false && (yield* look(path)) === undefined) return undefined;
    return new Stats(yield* named(syscall, ask('stat', path), path));
  };

/** @param {any} given @param {number} [mode] @returns {Steps} */
function* access(given, mode = constants.F_OK) {
  const path = pathOf(given);
  const entry = yield* named('access', ask('stat', path), path);
  if (mode & constants.X_OK && !entry.isDirectory()) throw systemError('EACCES', 'access', path);
}

/** Returns the first folder that a recursive call creates, as Node does. @param {any} given @param {any} [options] @returns {Steps} */
function* mkdir(given, options) {
  const path = pathOf(given);
  noteChange();
  if (options?.recursive !== true) return void (yield* named('mkdir', ask('mkdir', path), path));
  let first;
  for (let at = normalize(path); at !== '/' && at !== '.' && (yield* look(at)) === undefined; at = dirname(at))
    first = at;
  const isThere = first === undefined && (yield* look(path))?.isDirectory();
  if (!isThere) yield* named('mkdir', ask('mkdir', path, { recursive: true }), path);
  return first;
}

/** @param {any} prefix @returns {Steps} */
function* mkdtemp(prefix) {
  const random = globalThis.crypto.getRandomValues(new Uint8Array(SUFFIX_LENGTH));
  const path = pathOf(prefix, 'prefix') + [...random].map((byte) => SUFFIX[byte % SUFFIX.length]).join('');
  yield* named('mkdtemp', ask('mkdir', path), `${prefix}XXXXXX`);
  return path;
}

/** @param {any} given @param {any} [options] @returns {Steps} */
function* rm(given, options) {
  const path = pathOf(given);
  const entry = yield* look(path);
  if (entry === undefined && options?.force === true) return;
  if (entry?.isDirectory() && options?.recursive !== true) {
    const message = `Path is a directory: rm returned EISDIR (is a directory) ${path}`;
    throw Object.assign(new Error(message), {
      name: 'SystemError',
      code: 'ERR_FS_EISDIR',
      errno: 21,
      syscall: 'rm',
      path,
    });
  }
  noteChange();
  yield* named(entry === undefined ? 'lstat' : 'rm', ask('rm', path, options), path);
}

/** @param {any} given @returns {Steps} */
function* unlink(given) {
  const path = pathOf(given);
  noteChange();
  try {
    yield ['unlink', path];
  } catch (error) {
    if ((yield* look(path))?.isDirectory()) throw systemError('EISDIR', 'unlink', path);
    throw described(error, { syscall: 'unlink', path });
  }
}

/** @param {any} given @returns {Steps} */
function* rmdir(given) {
  const path = pathOf(given);
  noteChange();
  yield* named('rmdir', ask('rmdir', path), path);
}

/** @param {any} from @param {any} to @returns {Steps} */
function* rename(from, to) {
  const [source, target] = [pathOf(from, 'oldPath'), pathOf(to, 'newPath')];
  noteChange();
  yield* named('rename', ask('rename', source, target), source, target);
}

/** @param {any} from @param {any} to @param {number} [mode] @returns {Steps} */
function* copyFile(from, to, mode = 0) {
  const [source, target] = [pathOf(from, 'src'), pathOf(to, 'dest')];
  if (mode & constants.COPYFILE_EXCL && (yield* look(target))) throw systemError('EEXIST', 'copyfile', source, target);
  noteChange();
  try {
    yield ['copyFile', source, target];
  } catch (error) {
    if ((yield* look(source))?.isDirectory()) throw systemError('EISDIR', 'copyfile', source, target);
    throw described(error, { syscall: 'copyfile', path: source, dest: target });
  }
}

/** @param {string} code @param {string} message @param {string} path */
function copyError(code, message, path) {
  return Object.assign(new Error(`${message}: cp returned ${code.replace('ERR_FS_CP_', '')} ${path}`), {
    name: 'SystemError',
    code,
    path,
  });
}

/** @param {any} from @param {any} to @param {any} [options] @returns {Steps} */
function* cp(from, to, options = {}) {
  const [source, target] = [pathOf(from, 'src'), pathOf(to, 'dest')];
  if (options.filter !== undefined && !options.filter(source, target)) return;
  const entry = yield* named('lstat', ask('stat', source), source);
  const old = yield* look(target);
  yield* entry.isDirectory() ? copyFolder(source, target, options, old) : copyOne(source, target, options, old);
}

/** @param {string} source @param {string} target @param {any} options @param {any} old @returns {Steps} */
function* copyOne(source, target, { force = true, errorOnExist = false }, old) {
  if (old?.isDirectory())
    throw copyError('ERR_FS_CP_NON_DIR_TO_DIR', 'Cannot overwrite directory with non-directory', target);
  if (old !== undefined && !force) {
    if (errorOnExist) throw copyError('ERR_FS_CP_EEXIST', 'Target already exists', target);
    return;
  }
  yield* mkdir(dirname(absolute(target)), { recursive: true });
  yield* copyFile(source, target);
}

/** @param {string} source @param {string} target @param {any} options @param {any} old @returns {Steps} */
function* copyFolder(source, target, options, old) {
  if (!options.recursive)
    throw copyError('ERR_FS_EISDIR', 'Recursive option not enabled, cannot copy a directory', source);
  if (old !== undefined && !old.isDirectory()) {
    throw copyError('ERR_FS_CP_DIR_TO_NON_DIR', 'Cannot overwrite non-directory with directory', target);
  }
  if (`${absolute(target)}/`.startsWith(`${absolute(source)}/`)) {
    throw copyError('ERR_FS_CP_EINVAL', 'Cannot copy to itself or a subdirectory of itself', target);
  }
  yield* mkdir(target, { recursive: true });
  // The engine of quickjs cannot compile `yield*` in the head of this loop, if its body has one too.
  const entries = yield* readdir(source, { withFileTypes: true });
  for (const { name } of entries) yield* cp(join(source, name), join(target, name), options);
}

/** @param {any} given @param {number} [length] @returns {Steps} */
function* truncate(given, length = 0) {
  const path = pathOf(given);
  yield* (yield* named('open', openFile(path, 'r+'), path)).truncate(length);
}

/** @param {any} given @returns {Steps} */
function* realpath(given) {
  const path = pathOf(given);
  yield* named('realpath', ask('stat', path), path);
  return absolute(path);
}

/** A workspace has no links. @param {any} given @returns {Steps} */
function* readlink(given) {
  const path = pathOf(given);
  yield* named('readlink', ask('stat', path), path);
  throw systemError('EINVAL', 'readlink', path);
}

/** @param {any} given @param {any} [flags] @returns {Steps} */
function* open(given, flags) {
  const path = pathOf(given);
  return yield* named('open', openFile(path, flags), path);
}

/** @param {string} name @param {string} code @param {string} reason */
const refused = (name, code, reason) =>
  // biome-ignore lint/correctness/useYield: all functions are steps
  /** @param {any} given @returns {Steps} */ function* (given) {
    const error = systemError(code, name, String(given));
    error.message += `. ${reason}`;
    throw error;
  };
const NO_LINKS = 'The workspace has files and folders only: copy the file.';
const NO_MODES = 'Files of the workspace have no modes, owners and times to set.';

export const operations = {
  ...{ readFile, writeFile, appendFile, readdir, opendir, stat: statAs('stat'), lstat: statAs('lstat'), access },
  ...{ mkdir, mkdtemp, rm, unlink, rmdir, rename, copyFile, cp, truncate, realpath, readlink, open },
  ...{ symlink: refused('symlink', 'EPERM', NO_LINKS), link: refused('link', 'EPERM', NO_LINKS) },
  ...{ chmod: refused('chmod', 'ENOSYS', NO_MODES), chown: refused('chown', 'ENOSYS', NO_MODES) },
  ...{ utimes: refused('utimes', 'ENOSYS', NO_MODES), lutimes: refused('lutimes', 'ENOSYS', NO_MODES) },
};
