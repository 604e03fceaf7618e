// Values of `node:fs` as Node has them: entries of folders, states of files, and errors.
import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const FILE_MODE = 0o100644;
const FOLDER_MODE = 0o40755;
const BLOCK_BYTES = 512;

export const constants = Object.freeze({
  ...{ F_OK: 0, X_OK: 1, W_OK: 2, R_OK: 4 },
  ...{ O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024 },
  ...{ S_IFMT: 0o170000, S_IFREG: 0o100000, S_IFDIR: 0o40000 },
  ...{ COPYFILE_EXCL: 1, COPYFILE_FICLONE: 2, COPYFILE_FICLONE_FORCE: 4 },
});

/** Number and words of the errors of the system. */
const ERRORS = new Map(
  /** @type {[string, [number, string]][]} */ ([
    ['EPERM', [-1, 'operation not permitted']],
    ['ENOENT', [-2, 'no such file or directory']],
    ['EBADF', [-9, 'bad file descriptor']],
    ['EACCES', [-13, 'permission denied']],
    ['EEXIST', [-17, 'file already exists']],
    ['ENOTDIR', [-20, 'not a directory']],
    ['EISDIR', [-21, 'illegal operation on a directory']],
    ['EINVAL', [-22, 'invalid argument']],
    ['EFBIG', [-27, 'file too large']],
    ['ENAMETOOLONG', [-36, 'name too long']],
    ['ENOSYS', [-38, 'function not implemented']],
    ['ENOTEMPTY', [-39, 'directory not empty']],
  ]),
);
/** Errors whose message of the host has nothing to add. */
const PLAIN = new Set(['ENOENT', 'EEXIST', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'EBADF']);

/**
 * Creates an error of the system.
 * @param {string} code
 * @param {string} syscall
 * @param {string} [path]
 * @param {string} [dest]
 */
export function systemError(code, syscall, path, dest) {
  return described(new Error(code), { code, syscall, path, dest });
}

/**
 * Gives an error the members that Node's errors have. The message is Node's, if the host's message says nothing more.
 * @param {any} error
 * @param {{ code?: string, syscall: string, path?: string | undefined, dest?: string | undefined }} about
 */
export function described(error, { code = error.code, syscall, path, dest }) {
  const known = ERRORS.get(code);
  if (known === undefined) return error;
  const [errno, words] = known;
  const places = `${path === undefined ? '' : ` '${path}'`}${dest === undefined ? '' : ` -> '${dest}'`}`;
  if (PLAIN.has(code) || error.message === code) error.message = `${code}: ${words}, ${syscall}${places}`;
  return Object.assign(error, { errno, code, syscall }, path !== undefined && { path }, dest !== undefined && { dest });
}

/**
 * Creates an error of an argument, as Node does.
 * @param {string} code
 * @param {string} message
 */
export function argumentError(code, message) {
  return Object.assign(new TypeError(message), { code });
}

/**
 * Returns the path of a text, bytes or a `file:` URL.
 * @param {any} path
 * @param {string} [name]
 * @returns {string}
 */
export function pathOf(path, name = 'path') {
  if (typeof path === 'string' && !path.includes('\0')) return path;
  if (path instanceof URL) return fileURLToPath(path);
  if (path instanceof Uint8Array) return globalThis.Buffer.from(path).toString();
  if (typeof path === 'string') {
    throw argumentError(
      'ERR_INVALID_ARG_VALUE',
      `The argument '${name}' must be a string, Uint8Array, or URL without null bytes.`,
    );
  }
  throw argumentError(
    'ERR_INVALID_ARG_TYPE',
    `The "${name}" argument must be of type string or an instance of Buffer or URL. Received ${path === null ? 'null' : typeof path}`,
  );
}

/**
 * Returns the bytes of written data.
 * @param {any} data
 * @param {any} [encoding]
 * @returns {Uint8Array}
 */
export function bytesOf(data, encoding) {
  const { Buffer } = globalThis;
  if (typeof data === 'string') return Buffer.from(data, encodingOf(encoding) ?? 'utf8');
  if (data instanceof Uint8Array) return data;
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  throw argumentError(
    'ERR_INVALID_ARG_TYPE',
    `The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${data === null ? 'null' : typeof data}`,
  );
}

/**
 * Returns the encoding of options; undefined without one. Raises an error for unknown ones.
 * @param {any} options
 * @returns {any}
 */
export function encodingOf(options) {
  const encoding = typeof options === 'string' ? options : options?.encoding;
  if (encoding === undefined || encoding === null || encoding === 'buffer') return undefined;
  if (globalThis.Buffer.isEncoding(encoding)) return encoding;
  throw argumentError('ERR_INVALID_ARG_VALUE', `The argument 'encoding' is invalid encoding. Received '${encoding}'`);
}

/** The kinds of files. A workspace has files and folders only. */
class Kinds {
  /** @param {string} kind */
  constructor(kind) {
    Object.defineProperty(this, 'kind', { value: kind });
  }
  isFile() {
    return /** @type {any} */ (this).kind === 'file';
  }
  isDirectory() {
    return /** @type {any} */ (this).kind === 'directory';
  }
  isSymbolicLink() {
    return false;
  }
  isBlockDevice() {
    return false;
  }
  isCharacterDevice() {
    return false;
  }
  isFIFO() {
    return false;
  }
  isSocket() {
    return false;
  }
}

/** An entry of a folder. */
export class Dirent extends Kinds {
  /** @param {string} name relative to the listed folder @param {string} folder @param {string} kind */
  constructor(name, folder, kind) {
    super(kind);
    const parent = name.includes('/') ? `${folder.replace(/\/$/, '')}/${dirname(name)}` : folder;
    this.name = basename(name);
    this.parentPath = parent;
    this.path = parent;
  }
}

/** The state of a file or folder. */
export class Stats extends Kinds {
  /** @param {any} entry */
  constructor({ size, mtimeMs, isDirectory }) {
    const isFolder = isDirectory();
    super(isFolder ? 'directory' : 'file');
    const time = () => new Date(mtimeMs);
    const owner = { dev: 0, ino: 0, nlink: 1, uid: 0, gid: 0, rdev: 0 };
    const space = { size, blksize: BLOCK_BYTES * 8, blocks: Math.ceil(size / BLOCK_BYTES) };
    Object.assign(this, owner, { mode: isFolder ? FOLDER_MODE : FILE_MODE }, space);
    Object.assign(this, { atimeMs: mtimeMs, mtimeMs, ctimeMs: mtimeMs, birthtimeMs: mtimeMs });
    Object.assign(this, { atime: time(), mtime: time(), ctime: time(), birthtime: time() });
  }
}

/** An open folder. */
export class Dir {
  #entries;
  #isClosed = false;
  /** @param {string} path @param {Dirent[]} entries */
  constructor(path, entries) {
    this.path = path;
    this.#entries = entries.values();
  }
  #check() {
    if (this.#isClosed) throw Object.assign(new Error('Directory handle was closed'), { code: 'ERR_DIR_CLOSED' });
  }
  readSync() {
    this.#check();
    return this.#entries.next().value ?? null;
  }
  async read() {
    return this.readSync();
  }
  closeSync() {
    this.#check();
    this.#isClosed = true;
  }
  async close() {
    this.closeSync();
  }
  async *[Symbol.asyncIterator]() {
    for (let entry = this.readSync(); entry !== null; entry = this.readSync()) yield entry;
    this.#isClosed = true;
  }
}

/** @param {string} path */
export const absolute = (path) => resolve('/workspace', path);
