/** An OpenAPI description as JSON text. A value is parsed when it is read. */
export interface ApiDocument {
  /** Returns the value at a path, parsed each time; undefined without one. */
  get(path: readonly string[]): unknown;
  /** Returns the keys of the object at a path of containers, for example `paths`; none for another value. */
  keys(path: readonly string[]): string[];
}

/** The objects with many members, by their path. Only their members are parsed. */
const CONTAINERS: readonly (readonly string[])[] = [
  [],
  ['paths'],
  ['components'],
  ['components', '*'],
  ['definitions'],
  ['parameters'],
  ['responses'],
];

/** The place of a value in the bytes of a JSON text: from `start` up to `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
}

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Opens a description. Raises a `SyntaxError` for text that is not a JSON object. */
export function openDocument(bytes: Uint8Array): ApiDocument {
  const found = new Map<string, Map<string, Span> | undefined>();

  function membersOf(path: readonly string[]): Map<string, Span> | undefined {
    if (!isContainer(path)) return undefined;
    const key = JSON.stringify(path);
    if (found.has(key)) return found.get(key);
    const start = path.length === 0 ? 0 : membersOf(path.slice(0, -1))?.get(path.at(-1) ?? '')?.start;
    const members = start === undefined ? undefined : findMembers(bytes, start);
    found.set(key, members);
    return members;
  }

  if (membersOf([]) === undefined) throw new SyntaxError('not an object');
  return {
    keys: (path) => [...(membersOf(path)?.keys() ?? [])],
    get(path) {
      let depth = 0;
      while (depth < path.length - 1 && isContainer(path.slice(0, depth + 1))) depth++;
      const span = membersOf(path.slice(0, depth))?.get(path[depth] ?? '');
      return span === undefined ? undefined : path.slice(depth + 1).reduce<unknown>(member, parseSpan(bytes, span));
    },
  };
}

function isContainer(path: readonly string[]): boolean {
  return CONTAINERS.some(
    (container) => container.length === path.length && container.every((part, at) => part === '*' || part === path[at]),
  );
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

/** Returns the parts of a reference `#/…` to the same document; undefined for any other reference. */
export function pointerParts(reference: string): string[] | undefined {
  if (!reference.startsWith('#/')) return undefined;
  return reference
    .slice(2)
    .split('/')
    .map((part) => decoded(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * Finds the members of the object that starts at `start`, without parsing their values: a large description never is in memory
 * as a whole. Returns undefined when the value is not an object. Raises a `SyntaxError` for text that is not JSON.
 */
function findMembers(bytes: Uint8Array, start: number): Map<string, Span> | undefined {
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
function parseSpan(bytes: Uint8Array, { start, end }: Span): unknown {
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
