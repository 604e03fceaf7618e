import { randomInt } from 'node:crypto';
import { SandboxError } from '../errors.ts';
import { endOfString, parseExact } from './exact-json.ts';

const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Maximum number of values in one message. Each uses about 60 bytes. */
export const MAX_VALUES = 250_000;
/**
 * Maximum number of different names of members in one message. V8 keeps each name in a table of the whole process: a value with a new
 * name takes ten times as long as another one.
 */
export const MAX_NAMES = 50_000;
/** Approximate bytes of memory of one parsed value. */
const VALUE_BYTES = 64;

/** Characters that are counted without a pause. */
const PART_CHARACTERS = 64 * 1024;

/** The fix for too many names. */
export const LISTS = 'Send a list of pairs in place of an object with a member for each entry.';

/** A parsed message of a guest. */
export interface GuestMessage {
  readonly value: unknown;
  /** Approximate bytes of memory of the value. */
  readonly bytes: number;
}

/** Parses JSON text of a guest. Checks its size, depth and number of values first, before it allocates anything. */
export function parseGuestJson(text: string, limits: { readonly bytes: number; readonly depth: number }): GuestMessage {
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.bytes)
    throw tooLarge(`The message has ${bytes} bytes, the limit is ${limits.bytes}. Send less at once.`);
  const values = countValues(text, { depth: limits.depth, values: MAX_VALUES, names: MAX_NAMES });
  if (values === 'names') throw tooLarge(`The message has more than ${MAX_NAMES} different names. ${LISTS}`);
  if (values === 'deep') throw tooLarge(`The value is nested deeper than ${limits.depth} levels. Flatten it.`);
  if (values === 'many') {
    throw tooLarge(`The message has more than ${MAX_VALUES} values. Send less at once, or send the data as one text.`);
  }
  try {
    return { value: parseExact(text), bytes: bytes + values * VALUE_BYTES };
  } catch (cause) {
    throw new SandboxError('BRIDGE_PROTOCOL', 'The sandbox sent a message that is not JSON.', { cause });
  }
}

/** The result of {@link countValues} for JSON text over a limit. */
export type JsonExcess = 'deep' | 'many' | 'names';

/** The limits of {@link countValues}. */
interface CountLimits {
  readonly depth: number;
  readonly values: number;
  /** Different names of members. Default: any number. */
  readonly names?: number;
}

/**
 * Returns the number of values in JSON text, nested ones included, without parsing it. The number may be too high, never too
 * low. Stops at a limit and returns its name.
 */
export function countValues(text: string, limits: CountLimits): number | JsonExcess {
  const count: Count = { at: 0, level: 0, values: 1, members: 0 };
  const excess = countPart(text, count, limits, text.length);
  const { names = count.members } = limits;
  return excess ?? (count.members > names ? excessOfNames(text, count, limits) : undefined) ?? count.values;
}

/** Returns the steps to {@link countValues}: 16 MB in one turn take 50 ms. */
export function* countValueSteps(text: string, limits: CountLimits): Generator<void, number | JsonExcess> {
  const count: Count = { at: 0, level: 0, values: 1, members: 0 };
  while (count.at < text.length) {
    const excess = countPart(text, count, limits, count.at + PART_CHARACTERS);
    if (excess !== undefined) return excess;
    yield;
  }
  return excessOfNames(text, count, limits) ?? count.values;
}

/** The numbers of a text that is read in parts. */
interface Count {
  at: number;
  level: number;
  values: number;
  members: number;
}

/** Counts up to an offset. Returns the limit that was exceeded. */
function countPart(
  text: string,
  count: Count,
  { depth, values: maxValues }: CountLimits,
  until: number,
): JsonExcess | undefined {
  const end = Math.min(until, text.length);
  let { at, level, values, members } = count;
  for (; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON) members++;
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) level--;
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      if (++level > depth) return 'deep';
      values++;
    } else if (code === COMMA) values++;
    if (values > maxValues) return 'many';
  }
  count.at = at;
  count.level = level;
  count.values = values;
  count.members = members;
  return undefined;
}

function excessOfNames(text: string, { members }: Count, { names = members }: CountLimits): 'names' | undefined {
  return members > names && hasMoreNames(text, names) ? 'names' : undefined;
}

/** Bits of the table of seen names: with 50,000 names, 2 of 100 count as seen before. */
const TABLE_BITS = 21;
/** Secret, so that nobody can choose names that count as one. */
const SEED = randomInt(2 ** 31);
/** The prime of FNV-1a, a hash that spreads any names (https://www.rfc-editor.org/rfc/rfc9923). A random factor may spread them badly. */
const PRIME = 0x01000193;

/**
 * Returns whether JSON text has more than this number of different names of members. It counts some names as seen before that were not.
 */
export function hasMoreNames(text: string, names: number): boolean {
  const seen = new Uint32Array(2 ** (TABLE_BITS - 5));
  let found = 0;
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = endOfString(text, start);
    if (COLON === codeAfter(text, end)) {
      let hash = SEED;
      for (let index = start + 1; index < end; index++) hash = Math.imul(hash ^ text.charCodeAt(index), PRIME);
      // The last steps of MurmurHash3: the highest bits depend on all others.
      hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
      hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
      const place = (hash ^ (hash >>> 16)) >>> (32 - TABLE_BITS);
      const bit = 1 << (place & 31);
      if (((seen[place >>> 5] ?? 0) & bit) === 0) {
        seen[place >>> 5] = (seen[place >>> 5] ?? 0) | bit;
        if (++found > names) return true;
      }
    }
    start = text.indexOf('"', end + 1);
  }
  return false;
}

/** Returns the character after an offset, without space between them. */
function codeAfter(text: string, offset: number): number {
  let index = offset + 1;
  while (text.charCodeAt(index) <= 0x20) index++;
  return text.charCodeAt(index);
}

/** Returns whether JSON text nests arrays and objects deeper than `depth` levels, without parsing it. */
export function isDeeperThan(text: string, depth: number): boolean {
  return countValues(text, { depth, values: Number.POSITIVE_INFINITY }) === 'deep';
}

function tooLarge(message: string): SandboxError {
  return new SandboxError('ARGUMENTS_TOO_LARGE', message);
}
