/** One value inside of JSON data. */
export interface Leaf {
  /** Its path: `to[0].address`. */
  readonly path: string;
  /** The names of the properties on the way to it: `to`, `address`. */
  readonly names: readonly string[];
  readonly value: string | number;
  /** The object that has it, or the object around a list that has it. */
  readonly parent: object | undefined;
}

/** Values that one walk visits. */
export const MAX_LEAVES = 20_000;
const MAX_DEPTH = 64;
const MAX_NAME = 40;
const PLAIN_NAME = /^[\w$-]+$/;

/** Calls a function with each text and number of JSON data. Returns false if there are more than {@link MAX_LEAVES}, or too deep ones. */
export function eachLeaf(data: unknown, visit: (leaf: Leaf) => void): boolean {
  let count = 0;
  const walk = (value: unknown, path: string, names: readonly string[], parent: object | undefined): boolean => {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
      visit({ path, names, value: typeof value === 'bigint' ? String(value) : value, parent });
      return ++count <= MAX_LEAVES;
    }
    if (typeof value !== 'object' || value === null) return true;
    if (names.length > MAX_DEPTH || path.length > 4_096) return false;
    if (Array.isArray(value)) {
      return value.every((inner, index) => walk(inner, `${path}[${index}]`, names, parent ?? value));
    }
    return Object.entries(value).every(([name, inner]) => {
      const shown = shownName(name);
      return walk(inner, path === '' ? shown : `${path}.${shown}`, [...names, name], value);
    });
  };
  return walk(data, '', [], undefined);
}

/** Returns a name as a path shows it: a name may be data of a person. */
function shownName(name: string): string {
  return name.length <= MAX_NAME && PLAIN_NAME.test(name) ? name : '*';
}

/** Returns a path without the places in lists: `to[].address`. */
export function withoutPlaces(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '[]');
}
