import { randomInt } from 'node:crypto';

/** A random base: nobody can prepare texts whose hashes collide. */
const BASE = randomInt(2 ** 20, 2 ** 30) * 2 + 1;

/** Hashes of all parts of a text. After one pass over the text, each hash takes one step. */
export interface RollingHash {
  /** Makes hashes of up to `length` units possible. */
  grow(length: number): void;
  /** Returns the greatest length that `grow` was called with. */
  longest(): number;
  /** Reads the first `length` units of a text. */
  read(units: Uint16Array, length: number): void;
  /** Returns the hash of `length` units of the text that was read last. */
  hash(from: number, length: number): number;
  /** Returns a function of a position that hashes `size` units of the text that was read last. */
  hashesOf(size: number): (from: number) => number;
}

/** Returns a hash without a text. */
export function createRollingHash(): RollingHash {
  let powers = new Int32Array([1]);
  /** The hashes of all prefixes of the text. */
  let sums = new Int32Array(1);

  return {
    grow(length) {
      if (powers.length > length) return;
      const known = powers.length;
      const next = new Int32Array(length + 1);
      next.set(powers);
      for (let at = known; at <= length; at++) next[at] = Math.imul(next[at - 1] ?? 1, BASE);
      powers = next;
    },
    longest: () => powers.length - 1,
    read(units, length) {
      if (sums.length <= length) sums = new Int32Array(2 * length + 1);
      for (let at = 0; at < length; at++) sums[at + 1] = (Math.imul(sums[at] ?? 0, BASE) + (units[at] ?? 0) + 1) | 0;
    },
    hash: (from, length) => ((sums[from + length] ?? 0) - Math.imul(sums[from] ?? 0, powers[length] ?? 0)) | 0,
    hashesOf(size) {
      const power = powers[size] ?? 0;
      const all = sums;
      return (from) => ((all[from + size] ?? 0) - Math.imul(all[from] ?? 0, power)) | 0;
    },
  };
}
