// Emscripten copies a path several times, in JavaScript's memory, before it looks at it. Like Linux, this refuses long paths first.

const ENAMETOOLONG = 37;
/** Bytes of a path with its end, as on Linux. */
const MAX_PATH_BYTES = 4_096;

/** Positions of the paths in the parameters of the imports that have paths. */
const PATHS = Object.entries({
  stat64: [0],
  lstat64: [0],
  chdir: [0],
  chmod: [0],
  rmdir: [0],
  truncate64: [0],
  statfs64: [0],
  openat: [1],
  newfstatat: [1],
  readlinkat: [1],
  faccessat: [1],
  fchmodat2: [1],
  fchownat: [1],
  mkdirat: [1],
  unlinkat: [1],
  utimensat: [1],
  renameat: [1, 3],
  symlinkat: [0, 2],
});

/**
 * Replaces the imports with paths by ones that refuse long paths.
 * @param {Record<string, any>} imports
 * @param {() => ArrayBuffer} memoryOf returns the interpreter's memory
 */
export function refuseLongPaths(imports, memoryOf) {
  for (const [name, positions] of PATHS) {
    const original = imports[`__syscall_${name}`];
    if (original === undefined) continue;
    const { sig, stub } = original;
    const checked = (/** @type {number[]} */ ...parameters) => {
      const isLong = positions.some((position) => isLongPath(memoryOf(), parameters[position] ?? 0));
      return isLong ? -ENAMETOOLONG : original(...parameters);
    };
    imports[`__syscall_${name}`] = Object.assign(checked, { sig, stub });
  }
}

/** @param {ArrayBuffer} memory @param {number} pointer */
function isLongPath(memory, pointer) {
  const start = pointer >>> 0;
  const bytes = new Uint8Array(memory, start, Math.min(MAX_PATH_BYTES, memory.byteLength - start));
  return !bytes.includes(0);
}
