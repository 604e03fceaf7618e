import { SandboxError } from '../errors.ts';

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Maximum number of values in one message. Each uses about 60 bytes; parsing this many takes at most 0.2 s. */
export const MAX_VALUES = 250_000;
/** Approximate bytes of memory of one parsed value. */
const VALUE_BYTES = 64;

/** Characters that are compared one by one: for a short string, that is faster than a search. */
const NEAR_CHARACTERS = 40;

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
  const values = countValues(text, { depth: limits.depth, values: MAX_VALUES });
  if (values === 'deep') throw tooLarge(`The value is nested deeper than ${limits.depth} levels. Flatten it.`);
  if (values === 'many') {
    throw tooLarge(`The message has more than ${MAX_VALUES} values. Send less at once, or send the data as one text.`);
  }
  try {
    return { value: JSON.parse(text), bytes: bytes + values * VALUE_BYTES };
  } catch (cause) {
    throw new SandboxError('BRIDGE_PROTOCOL', 'The sandbox sent a message that is not JSON.', { cause });
  }
}

/**
 * Returns the number of values in JSON text, nested ones included, without parsing it. The number may be too high, never too
 * low. Stops at a limit and returns `deep` or `many`.
 */
export function countValues(
  text: string,
  limits: { readonly depth: number; readonly values: number },
): number | 'deep' | 'many' {
  let level = 0;
  let values = 1;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index);
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) level--;
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      if (++level > limits.depth) return 'deep';
      values++;
    } else if (code === COMMA) values++;
    if (values > limits.values) return 'many';
  }
  return values;
}

/** Returns the offset of the quote that ends the string which begins at an offset, or the length of the text. */
function endOfString(text: string, start: number): number {
  const near = Math.min(text.length, start + NEAR_CHARACTERS);
  for (let index = start + 1; index < near; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) return index;
    if (code === BACKSLASH) break;
  }
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

/** Returns whether JSON text nests arrays and objects deeper than `depth` levels, without parsing it. */
export function isDeeperThan(text: string, depth: number): boolean {
  return countValues(text, { depth, values: Number.POSITIVE_INFINITY }) === 'deep';
}

function tooLarge(message: string): SandboxError {
  return new SandboxError('ARGUMENTS_TOO_LARGE', message);
}
