import { randomInt } from 'node:crypto';

/** One form of a value that is looked for, folded. */
export interface Pattern {
  /** The name of the value's placeholder. */
  readonly name: string;
  readonly folded: string;
  /** Set when it counts only with no letter or digit beside it. */
  readonly edges: boolean;
  /** Set when only this very spelling counts. */
  readonly exact: string | undefined;
}

/** A set of patterns that grows, and is found in one pass over a text, whatever its size. */
export interface ValueIndex {
  /** Units of the longest pattern. */
  longest(): number;
  add(pattern: Pattern): void;
  /**
   * Tells for every position the longest pattern that stands there and that `accept` takes (and perhaps a shorter one). Time grows with the text and
   * with the number of different lengths, not with the number of patterns.
   */
  scan(units: Uint16Array, length: number, accept: (start: number, end: number, pattern: Pattern) => boolean): void;
}

/** Patterns are found by their first units: these many, or, for a short one, the lesser number. */
const LONG_WINDOW = 8;
const SHORT_WINDOW = 3;
const FILTER_BITS = 20;
/** So that nobody can prepare texts that collide. */
const BASE = randomInt(2 ** 20, 2 ** 30) * 2 + 1;

interface Windows {
  readonly size: number;
  /** A bit for each hash that some pattern begins with: most positions of a text end here. Empty while there is none. */
  filter: Uint8Array;
  /** Lengths of the patterns that begin so, longest first. */
  readonly lengths: Map<number, number[]>;
}

/** An index without patterns. */
export function createIndex(): ValueIndex {
  const windows = [LONG_WINDOW, SHORT_WINDOW].map((size): Windows => {
    return { size, filter: new Uint8Array(), lengths: new Map() };
  });
  const patterns = new Map<number, Pattern[]>();
  let powers = new Int32Array([1]);
  let sums = new Int32Array(1);

  function hash(from: number, length: number): number {
    return ((sums[from + length] ?? 0) - Math.imul(sums[from] ?? 0, powers[length] ?? 0)) | 0;
  }

  /** Sums of all beginnings; with them the hash of any part is one step. */
  function sum(units: Uint16Array, length: number): void {
    if (sums.length <= length) sums = new Int32Array(2 * length + 1);
    for (let at = 0; at < length; at++) sums[at + 1] = (Math.imul(sums[at] ?? 0, BASE) + (units[at] ?? 0) + 1) | 0;
  }

  return {
    longest: () => powers.length - 1,
    add(pattern) {
      const { folded } = pattern;
      const units = Uint16Array.from(folded, (unit) => unit.charCodeAt(0));
      const { length } = folded;
      if (powers.length <= length) {
        const known = powers.length;
        const next = new Int32Array(length + 1);
        next.set(powers);
        for (let at = known; at <= length; at++) next[at] = Math.imul(next[at - 1] ?? 1, BASE);
        powers = next;
      }
      for (let at = 0; at < length; at++) units[at] = folded.charCodeAt(at);
      sum(units, length);
      const full = keyOf(hash(0, length), length);
      const same = patterns.get(full) ?? [];
      if (
        same.some((other) => other.folded === folded && other.exact === pattern.exact && other.edges === pattern.edges)
      ) {
        return;
      }
      patterns.set(full, [...same, pattern]);
      const window = windows.find(({ size }) => length >= size);
      if (window === undefined) return;
      const start = hash(0, window.size);
      const bit = bitOf(start);
      if (window.filter.length === 0) window.filter = new Uint8Array(2 ** (FILTER_BITS - 3));
      window.filter[bit >>> 3] = (window.filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
      const lengths = window.lengths.get(start) ?? [];
      if (!lengths.includes(length)) lengths.push(length);
      window.lengths.set(
        start,
        lengths.sort((a, b) => b - a),
      );
    },
    scan(units, length, accept) {
      const used = windows.filter(({ lengths }) => lengths.size > 0);
      if (used.length === 0) return;
      sum(units, length);
      for (const { size, filter, lengths } of used) {
        const power = powers[size] ?? 0;
        for (let at = 0; at + size <= length; at++) {
          const start = ((sums[at + size] ?? 0) - Math.imul(sums[at] ?? 0, power)) | 0;
          const bit = bitOf(start);
          if (((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) continue;
          const candidates = lengths.get(start);
          if (candidates) findAt(units, length, at, candidates, accept);
        }
      }
    },
  };

  function findAt(
    units: Uint16Array,
    length: number,
    at: number,
    candidates: readonly number[],
    accept: (start: number, end: number, pattern: Pattern) => boolean,
  ): void {
    for (const size of candidates) {
      if (at + size > length) continue;
      const found = patterns
        .get(keyOf(hash(at, size), size))
        ?.some((pattern) => isThere(units, at, pattern.folded) && accept(at, at + size, pattern));
      if (found) return;
    }
  }
}

function keyOf(hash: number, length: number): number {
  return hash ^ Math.imul(length, 0x9e3779b1);
}

function bitOf(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> (32 - FILTER_BITS);
}

function isThere(units: Uint16Array, at: number, folded: string): boolean {
  for (let index = 0; index < folded.length; index++) if (units[at + index] !== folded.charCodeAt(index)) return false;
  return true;
}
