import { findMembers, parseSpan, type Span } from './json-members.ts';

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
