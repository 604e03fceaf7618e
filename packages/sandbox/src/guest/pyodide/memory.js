// A WebAssembly module contains the bounds of its memory: this changes them before the module is compiled.

const MEMORY_SECTION = 5;
const HEADER_BYTES = 8;
const HAS_MAXIMUM = 1;

/**
 * Sets the initial and the maximum size of the module's memory, in pages of 64 KiB.
 * @param {Uint8Array} wasm changed in place
 * @param {number} initial
 * @param {number} maximum
 */
export function setMemoryPages(wasm, initial, maximum) {
  let offset = HEADER_BYTES;
  while (offset < wasm.length) {
    const section = wasm[offset];
    const size = readNumber(wasm, offset + 1);
    if (section === MEMORY_SECTION) {
      const flags = size.end + 1;
      if (wasm[size.end] !== 1 || wasm[flags] !== HAS_MAXIMUM) break;
      const first = readNumber(wasm, flags + 1);
      writeNumber(wasm, flags + 1, first.end, initial);
      writeNumber(wasm, first.end, readNumber(wasm, first.end).end, maximum);
      return;
    }
    offset = size.end + size.value;
  }
  throw new Error('The module of Pyodide has no memory with a maximum: this version is not supported.');
}

/**
 * Reads an unsigned LEB128 number.
 * @param {Uint8Array} bytes
 * @param {number} start
 */
function readNumber(bytes, start) {
  let value = 0;
  let end = start;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[end++] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, end };
  }
}

/**
 * Overwrites a number with one of the same length in bytes: LEB128 can pad smaller values.
 * @param {Uint8Array} bytes
 * @param {number} start
 * @param {number} end
 * @param {number} value
 */
function writeNumber(bytes, start, end, value) {
  let rest = value;
  for (let at = start; at < end; at++) {
    bytes[at] = (rest & 0x7f) | (at < end - 1 ? 0x80 : 0);
    rest = Math.floor(rest / 0x80);
  }
  if (rest > 0) throw new RangeError(`${value} pages do not fit into the module of Pyodide.`);
}
