/** A text or number in a JSON value. */
export type Leaf = string | number;

/**
 * Calls `see` with every text and number of a JSON value, in order, and with its path of keys and indexes. The path is valid
 * during the call only.
 */
export function eachLeaf(
  value: unknown,
  see: (leaf: Leaf, path: readonly (string | number)[]) => void,
  path: (string | number)[] = [],
): void {
  if (typeof value === 'string' || typeof value === 'number') see(value, path);
  if (typeof value !== 'object' || value === null) return;
  // The keys of an array are its indexes.
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
  for (const key of keys) {
    path.push(key);
    eachLeaf(Reflect.get(value, key), see, path);
    path.pop();
  }
}

/** Calls `see` with every key of an object in a JSON value. */
export function eachKey(value: unknown, see: (key: string) => void): void {
  if (Array.isArray(value)) for (const item of value) eachKey(item, see);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      see(key);
      eachKey(item, see);
    }
  }
}

/**
 * Returns a copy with every text and number replaced, in the same order. `toKey` replaces keys; without it they stay. Equal
 * new keys are numbered, so that no entry is lost. Keys such as `__proto__` are ordinary.
 */
export function mapLeaves(value: unknown, toLeaf: (leaf: Leaf) => unknown, toKey?: (key: string) => string): unknown {
  if (typeof value === 'string' || typeof value === 'number') return toLeaf(value);
  if (Array.isArray(value)) return value.map((item) => mapLeaves(item, toLeaf, toKey));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const keys = toKey ? distinct(entries.map(([key]) => toKey(key))) : entries.map(([key]) => key);
  return Object.fromEntries(entries.map(([, item], at) => [keys[at] ?? '', mapLeaves(item, toLeaf, toKey)]));
}

function distinct(keys: readonly string[]): readonly string[] {
  if (new Set(keys).size === keys.length) return keys;
  const taken = new Set<string>();
  return keys.map((key) => {
    let name = key;
    for (let number = 2; taken.has(name); number++) name = `${key} (${number})`;
    taken.add(name);
    return name;
  });
}
