import { randomInt } from 'node:crypto';
import type { Steps } from '../slices.ts';

/** One folded form of a value. */
export interface Pattern {
  /** The name of the value's placeholder. */
  readonly name: string;
  readonly folded: string;
  /** Set if a match counts only without a letter or digit next to it. */
  readonly edges: boolean;
  /** Set if a match in plain text counts only as whole words that are no part of an identifier. */
  readonly words: boolean;
  /** Set if only this spelling counts. */
  readonly exact: string | undefined;
}

/** Accepts or refuses a match. */
type Accept = (start: number, end: number, pattern: Pattern) => boolean;

/** A growing set of patterns. One pass over a text finds any number of them. */
export interface ValueIndex {
  /** Returns the units of the longest pattern. */
  longest(): number;
  add(pattern: Pattern): void;
  /**
   * Calls `accept` at every position with the longest pattern there, and with shorter ones until it accepts one. Time grows
   * with the text and with the number of different lengths, not with the number of patterns.
   */
  scan(units: Uint16Array, length: number, accept: Accept): void;
}

/** Patterns are found by their first 8 units, by their first 3 if they are shorter, or else by their first one. */
const WINDOWS = [8, 3, 1];
/** Units of a text that are scanned between two yields, unless a pattern is longer. */
const PART_UNITS = 16_384;
const FILTER_BITS = 20;

/** Finds the positions at which a pattern may start, by the hash of the units there. */
interface Window {
  readonly size: number;
  /** One bit per hash. It rejects most positions of a text. Empty without patterns. */
  filter: Uint8Array;
  /** The lengths of the patterns with a hash, longest first. */
  readonly lengths: Map<number, number[]>;
}

/** A random base: nobody can prepare texts whose hashes collide. */
const BASE = randomInt(2 ** 20, 2 ** 30) * 2 + 1;

/** Hashes of all parts of a text. After one pass over the text, each hash takes one step. */
interface RollingHash {
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

/** Returns an index without patterns. */
export function createIndex(): ValueIndex {
  const windows = WINDOWS.map((size): Window => {
    return { size, filter: new Uint8Array(), lengths: new Map() };
  });
  const patterns = new Map<number, Pattern[]>();
  const rolling = createRollingHash();

  return {
    longest: rolling.longest,
    add(pattern) {
      const { length } = pattern.folded;
      rolling.grow(length);
      rolling.read(unitsOf(pattern.folded), length);
      if (!addPattern(patterns, keyOf(rolling.hash(0, length), length), pattern)) return;
      const window = windows.find(({ size }) => length >= size);
      if (window) addToWindow(window, rolling.hash(0, window.size), length);
    },
    scan(units, length, accept) {
      const used = windows.filter(({ lengths }) => lengths.size > 0);
      if (used.length === 0) return;
      rolling.read(units, length);
      for (const window of used) scanWindow(window, patterns, rolling, { units, length, accept });
    },
  };
}

/** Scans a text in parts, as `scan` does. The positions that `accept` receives are those in the whole text. */
export function* scanSteps(index: ValueIndex, text: string, accept: Accept): Steps {
  let size = 0;
  for (let from = 0; from < text.length; from += size) {
    if (from > 0) yield;
    // The longest pattern grows when other work adds values.
    const longest = index.longest();
    size = Math.max(PART_UNITS, longest);
    const part = text.slice(from, from + size + longest);
    const at = from;
    const until = size;
    index.scan(unitsOf(part), part.length, (start, end, pattern) => {
      return start < until && accept(at + start, at + end, pattern);
    });
  }
}

let units = new Uint16Array(0);

/** Returns the units of a text, until the next call. */
function unitsOf(text: string): Uint16Array {
  if (units.length < text.length) units = new Uint16Array(2 * text.length);
  for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at);
  return units;
}

/** Adds a pattern and returns true, or returns false if it is there already. */
function addPattern(patterns: Map<number, Pattern[]>, key: number, pattern: Pattern): boolean {
  const same = patterns.get(key);
  if (same === undefined) {
    patterns.set(key, [pattern]);
    return true;
  }
  const isKnown = same.some(
    ({ folded, exact, edges, words }) =>
      folded === pattern.folded && exact === pattern.exact && edges === pattern.edges && words === pattern.words,
  );
  if (!isKnown) same.push(pattern);
  return !isKnown;
}

function addToWindow(window: Window, hash: number, length: number): void {
  const bit = bitOf(hash);
  if (window.filter.length === 0) window.filter = new Uint8Array(2 ** (FILTER_BITS - 3));
  window.filter[bit >>> 3] = (window.filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
  const lengths = window.lengths.get(hash);
  if (lengths === undefined) window.lengths.set(hash, [length]);
  else if (!lengths.includes(length)) {
    lengths.push(length);
    lengths.sort((a, b) => b - a);
  }
}

interface Scan {
  readonly units: Uint16Array;
  readonly length: number;
  readonly accept: Accept;
}

function scanWindow(
  { size, filter, lengths }: Window,
  patterns: ReadonlyMap<number, readonly Pattern[]>,
  rolling: RollingHash,
  scan: Scan,
): void {
  const hashAt = rolling.hashesOf(size);
  for (let at = 0; at + size <= scan.length; at++) {
    const hash = hashAt(at);
    const bit = bitOf(hash);
    if (((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) continue;
    const candidates = lengths.get(hash);
    if (candidates) findAt(at, candidates, patterns, rolling, scan);
  }
}

function findAt(
  at: number,
  lengths: readonly number[],
  patterns: ReadonlyMap<number, readonly Pattern[]>,
  rolling: RollingHash,
  { units, length, accept }: Scan,
): void {
  for (const size of lengths) {
    if (at + size > length) continue;
    const found = patterns
      .get(keyOf(rolling.hash(at, size), size))
      ?.some((pattern) => isThere(units, at, pattern.folded) && accept(at, at + size, pattern));
    if (found) return;
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

/** Returns a hash without a text. */
function createRollingHash(): RollingHash {
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
