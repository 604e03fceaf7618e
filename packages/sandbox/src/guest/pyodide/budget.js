// One budget for all memory that a program takes in this process: pages of the interpreter, and files with their names. Files are
// outside of the interpreter's memory, in that of JavaScript.

const ENOSPC = 51;
/** The types of TypeScript for ES2023 have no `maxByteLength`. */
const GrowingBuffer = /** @type {any} */ (ArrayBuffer);
const PAGE_BYTES = 65_536;
/** The interpreter's memory grows in steps of this size while the budget has room for them. */
const STEP_BYTES = 1024 * 1024;
/** Bytes of a file, folder or link without its name and contents. A process grew by 1,030 for each of 65,000 files of one byte. */
const NODE_BYTES = 1024;
/** Bytes of a character in JavaScript, at most. */
const CHARACTER_BYTES = 2;
/** The contents of larger files grow in place. */
const LARGE_FILE_BYTES = 256 * 1024;
/** Contents that were replaced stay in memory until a collection. There is one after so many bytes of new contents. */
const COLLECT_BYTES = 4 * 1024 * 1024;

/**
 * Limits the memory of the interpreter and of its files.
 * @param {any} module Emscripten's module
 * @param {number} maxBytes in addition to the present memory and files
 * @param {() => void} collect frees the replaced contents
 */
export function limitMemory(module, maxBytes, collect) {
  const { FS, growMemory } = module;
  const initialPages = module.HEAPU8.length;
  const initialFiles = bytesOfFiles(FS);
  let files = 0;
  let newContents = 0;
  const pages = () => module.HEAPU8.length - initialPages;

  /** Removed and shortened files still count until the budget is full: only then, the files are counted again. */
  const hasRoom = (/** @type {number} */ bytes) => {
    if (pages() + files + bytes <= maxBytes) return true;
    files = bytesOfFiles(FS) - initialFiles;
    return pages() + files + bytes <= maxBytes;
  };
  /** @param {number} bytes @param {number} contents those of them that are contents of files */
  const take = (bytes, contents) => {
    if (!hasRoom(bytes)) throw new FS.ErrnoError(ENOSPC);
    files += bytes;
    newContents += contents;
    if (newContents < COLLECT_BYTES) return;
    newContents = 0;
    collect();
  };
  limitFiles(FS, maxBytes, take);

  let refused = false;
  return {
    /** Whether the interpreter did not get the memory that it requested. */
    get refused() {
      return refused;
    },
    /** Grows the interpreter's memory to at least this size. Returns false if the budget has no room for it. */
    grow(/** @type {number} */ size) {
      const wanted = Math.ceil(size / PAGE_BYTES) * PAGE_BYTES - module.HEAPU8.length;
      for (const bytes of [Math.max(wanted, STEP_BYTES), wanted]) {
        if (hasRoom(bytes) && growMemory(module.HEAPU8.length + bytes)) return true;
      }
      refused = true;
      return false;
    },
  };
}

/**
 * Counts new names and contents before they are stored.
 * @param {any} FS
 * @param {number} maxBytes
 * @param {(bytes: number, contents: number) => void} take raises an error if the budget is full
 */
function limitFiles(FS, maxBytes, take) {
  const { MEMFS } = FS.filesystems;
  const { dir, file } = MEMFS.ops_table;
  const { mknod, symlink, rename } = dir.node;
  const { write } = file.stream;
  dir.node.mknod = (/** @type {any[]} */ ...parameters) => {
    take(bytesOfNode(parameters[1]), 0);
    return mknod(...parameters);
  };
  dir.node.symlink = (/** @type {any[]} */ ...parameters) => {
    take(bytesOfNode(parameters[1], parameters[2]), 0);
    return symlink(...parameters);
  };
  dir.node.rename = (/** @type {any[]} */ ...parameters) => {
    take(bytesOfNode(parameters[2]), 0);
    return rename(...parameters);
  };
  file.stream.write = (/** @type {any[]} */ ...parameters) => {
    const [{ node }, , , length, position] = parameters;
    expand(node, position + length);
    // Emscripten replaces the contents of an empty file.
    if (node.usedBytes === 0 && length > 0) node.usedBytes = 1;
    return write(...parameters);
  };
  MEMFS.expandFileStorage = expand;
  MEMFS.resizeFileStorage = (/** @type {any} */ node, /** @type {number} */ size) => {
    expand(node, size);
    // The contents after the end of a file are zero.
    if (size < node.usedBytes) node.contents.fill(0, size, node.usedBytes);
    if (size < node.usedBytes && node.contents.buffer.resizable) node.contents.buffer.resize(size);
    node.usedBytes = size;
  };

  /**
   * Makes room for contents. Those of large files grow in place: the copies of a growing file would need much more memory.
   * @param {any} node
   * @param {number} size
   */
  function expand(node, size) {
    const { contents } = node;
    const before = contents.length;
    if (size <= before) return;
    if (size > maxBytes) throw new FS.ErrnoError(ENOSPC);
    if (contents.buffer.resizable) {
      take(size - before, 0);
      contents.buffer.resize(size);
      return;
    }
    const isLarge = size >= LARGE_FILE_BYTES;
    const bytes = isLarge || before === 0 ? size : Math.max(size, 2 * before);
    take(bytes - before, bytes);
    node.contents = new Uint8Array(
      isLarge ? new GrowingBuffer(bytes, { maxByteLength: maxBytes }) : new ArrayBuffer(bytes),
    );
    node.contents.set(contents);
  }
}

/** Returns the bytes of all files that a program can reach, also of removed files that are open. */
function bytesOfFiles(/** @type {any} */ FS) {
  const found = new Set([FS.root]);
  for (const stream of FS.streams) if (stream) found.add(stream.node);
  let bytes = 0;
  for (const node of found) {
    bytes += bytesOfNode(node.name, node.link);
    if (FS.isFile(node.mode)) bytes += node.contents.length;
    else if (FS.isDir(node.mode)) for (const name in node.contents) found.add(node.contents[name]);
    if (node.mounted) found.add(node.mounted.root);
  }
  return bytes;
}

function bytesOfNode(name = '', link = '') {
  return NODE_BYTES + CHARACTER_BYTES * (name.length + link.length);
}
