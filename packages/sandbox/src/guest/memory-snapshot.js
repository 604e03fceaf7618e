// The content of WebAssembly memory at one moment. Writing it back takes less time than building the same state again.
import { Buffer } from 'node:buffer';

/** Bytes that are compared at once. */
const BLOCK_BYTES = 256 * 1024;
const ZEROS = Buffer.alloc(BLOCK_BYTES);

/**
 * Takes a snapshot of memory. Take and restore it while no WebAssembly function runs: the stack pointer is outside of the memory.
 * @param {{ readonly buffer: ArrayBuffer }} memory
 */
export function takeSnapshot(memory) {
  const content = Buffer.from(bytesOf(memory).subarray(0, usedBytes(memory, 0)));
  return {
    /** Makes the memory the same as when the snapshot was taken. Memory that has grown since then is zero, and stays. */
    restore() {
      const bytes = bytesOf(memory);
      bytes.fill(0, content.length, usedBytes(memory, content.length));
      bytes.set(content);
    },
  };
}

/** @param {{ readonly buffer: ArrayBuffer }} memory */
function bytesOf({ buffer }) {
  return Buffer.from(buffer);
}

/**
 * Returns the end of the last block that has another byte than zero, but at least `from`. Memory that nobody has written to is only
 * read, and so takes no place.
 * @param {{ readonly buffer: ArrayBuffer }} memory
 * @param {number} from
 */
function usedBytes(memory, from) {
  const bytes = bytesOf(memory);
  let end = bytes.length;
  while (end > from) {
    const start = Math.max(from, end - BLOCK_BYTES);
    if (bytes.compare(ZEROS, 0, end - start, start, end) !== 0) return end;
    end = start;
  }
  return from;
}
