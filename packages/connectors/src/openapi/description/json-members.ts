/** The place of a value in the bytes of a JSON text: from `start` up to `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Finds the members of the object that starts at `start`, without parsing their values: a large description never is in memory
 * as a whole. Returns undefined when the value is not an object. Raises a `SyntaxError` for text that is not JSON.
 */
export function findMembers(bytes: Uint8Array, start: number): Map<string, Span> | undefined {
  let at = skipSpace(bytes, start);
  if (bytes[at] !== OPEN_OBJECT) return undefined;
  const members = new Map<string, Span>();
  for (at = skipSpace(bytes, at + 1); bytes[at] !== CLOSE_OBJECT; ) {
    if (bytes[at] !== QUOTE) throw unexpected(at);
    const afterKey = endOfString(bytes, at);
    const key: unknown = parseSpan(bytes, { start: at, end: afterKey });
    const colon = skipSpace(bytes, afterKey);
    if (bytes[colon] !== COLON) throw unexpected(colon);
    const value = { start: skipSpace(bytes, colon + 1), end: endOfValue(bytes, skipSpace(bytes, colon + 1)) };
    members.set(String(key), value);
    at = skipSpace(bytes, value.end);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
    else if (bytes[at] !== CLOSE_OBJECT) throw unexpected(at);
  }
  return members;
}

/** Parses the value at a place. Raises a `SyntaxError` for text that is not JSON. */
export function parseSpan(bytes: Uint8Array, { start, end }: Span): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString());
}

function endOfValue(bytes: Uint8Array, start: number): number {
  let level = 0;
  for (let at = start; at < bytes.length; at++) {
    const code = bytes[at];
    if (code === QUOTE) at = endOfString(bytes, at) - 1;
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) level++;
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      // The end of the parent ends a number or a literal.
      if (level === 0) return at;
      if (--level === 0) return at + 1;
    } else if (code === COMMA && level === 0) return at;
    if (code === QUOTE && level === 0) return at + 1;
  }
  throw unexpected(bytes.length);
}

function endOfString(bytes: Uint8Array, quote: number): number {
  for (let at = quote + 1; at < bytes.length; at++) {
    const code = bytes[at];
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at++;
  }
  throw unexpected(bytes.length);
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
  return at;
}

function unexpected(at: number): SyntaxError {
  return new SyntaxError(`not valid JSON at byte ${at}`);
}
