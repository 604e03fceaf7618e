// Limits the files in the interpreter's own file system: they are in this process's memory, outside of the interpreter's. Removed
// files still count, because a program may keep using a file without its name.

const ENOSPC = 51;

/**
 * @param {any} FS Emscripten's file system
 * @param {number} maxBytes
 */
export function limitFiles(FS, maxBytes) {
  const { MEMFS } = FS.filesystems;
  let used = 0;
  /** @param {any} node @param {number} size @param {() => unknown} change */
  const counted = (node, size, change) => {
    const before = node.contents?.length ?? 0;
    if (used + Math.max(0, size - before) > maxBytes) throw new FS.ErrnoError(ENOSPC);
    const result = change();
    used += Math.max(0, (node.contents?.length ?? 0) - before);
    return result;
  };
  const operations = MEMFS.ops_table.file.stream;
  const { write } = operations;
  operations.write = (/** @type {any[]} */ ...parameters) => {
    const [stream, , , length, position] = parameters;
    return counted(stream.node, position + length, () => write(...parameters));
  };
  const { resizeFileStorage } = MEMFS;
  MEMFS.resizeFileStorage = (/** @type {any} */ node, /** @type {number} */ size) =>
    counted(node, size, () => resizeFileStorage(node, size));
}
