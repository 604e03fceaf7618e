import { type Later, PART_ITEMS, type Steps } from './slices.ts';

/** A text or number in a JSON value. A whole number beyond ±(2⁵³-1) is a `bigint`. */
export type Leaf = string | number | bigint;

/** Keys that one copy remembers. */
const MAX_SAME_KEYS = 1_000;

/** Receives the parts of a JSON value. */
export interface Visitor {
  /** Receives every text and number, in order. */
  readonly leaf: (leaf: Leaf) => Later<void>;
  /** Receives every key of an object. */
  readonly key?: (key: string) => Later<void>;
}

/** Visits all parts of a JSON value. */
export function* visitSteps(value: unknown, visitor: Visitor): Steps {
  if (isLeaf(value)) {
    const steps = visitor.leaf(value);
    if (steps) yield* steps;
  } else if (typeof value === 'object' && value !== null) yield* visitObject(value, visitor, { count: 0 });
}

function* visitObject(node: object, visitor: Visitor, seen: { count: number }): Steps {
  const keys = Array.isArray(node) ? undefined : Object.keys(node);
  const list: readonly unknown[] = Array.isArray(node) ? node : [];
  const size = keys?.length ?? list.length;
  for (let at = 0; at < size; at++) {
    if (++seen.count % PART_ITEMS === 0) yield;
    const key = keys?.[at];
    const keySteps = key === undefined ? undefined : visitor.key?.(key);
    if (keySteps) yield* keySteps;
    const child: unknown = key === undefined ? list[at] : Reflect.get(node, key);
    if (typeof child === 'object' && child !== null) yield* visitObject(child, visitor, seen);
    else if (isLeaf(child)) {
      const steps = visitor.leaf(child);
      if (steps) yield* steps;
    }
  }
}

/**
 * Returns a copy with every text and number replaced, in the same order. `toKey` replaces keys, equal ones in the same way. Equal
 * new keys are numbered, so that no entry is lost. Keys such as `__proto__` are ordinary. A part that stays the same is not copied, so that
 * a caller sees that nothing has changed.
 */
export function* mapSteps(
  value: unknown,
  toLeaf: (leaf: Leaf) => Later<Leaf>,
  toKey: (key: string) => Later<string>,
): Steps<unknown> {
  let count = 0;
  /** Keys that stay: the objects of a list have the same. */
  const same = new Set<string>();
  /** Returns the new form of a leaf, or the steps to the copy of an object. */
  const replace = (node: unknown): unknown => {
    if (isLeaf(node)) return toLeaf(node);
    return typeof node === 'object' && node !== null ? copy(node) : node;
  };
  function* copy(node: object): Steps<unknown> {
    if (Array.isArray(node)) {
      const items: unknown[] = [];
      let isSame = true;
      for (const item of node) {
        if (++count % PART_ITEMS === 0) yield;
        const replaced = replace(item);
        const next = isSteps(replaced) ? yield* replaced : replaced;
        isSame &&= next === item;
        items.push(next);
      }
      return isSame ? node : items;
    }
    const result: Record<string, unknown> = {};
    let isSame = isPlain(node);
    const own = Object.keys(node);
    const keys = own.every((key) => same.has(key)) ? own : yield* keySteps(own, toKey);
    for (let at = 0; at < own.length; at++) {
      if (++count % PART_ITEMS === 0) yield;
      const key = own[at] ?? '';
      const name = keys[at] ?? '';
      if (name === key && same.size < MAX_SAME_KEYS) same.add(key);
      const child: unknown = Reflect.get(node, key);
      const replaced = replace(child);
      const next = isSteps(replaced) ? yield* replaced : replaced;
      isSame &&= next === child && name === key;
      set(result, name, next);
    }
    return isSame ? node : result;
  }
  const replaced = replace(value);
  return isSteps(replaced) ? yield* replaced : replaced;
}

/** Returns whether a value is a text or a number. */
export function isLeaf(value: unknown): value is Leaf {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
}

/** Returns the number of a text of digits, exactly. */
export function exactNumber(text: string): number | bigint {
  const number = Number(text);
  return Number.isInteger(number) && !Number.isSafeInteger(number) && /^-?\d+$/.test(text) ? BigInt(text) : number;
}

/** Checks for an object without a class, which may write itself as JSON in its own way. */
function isPlain(node: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(node);
  return prototype === Object.prototype || prototype === null;
}

/** Checks whether a replacement is not made yet: no leaf is an object. */
function isSteps(replaced: unknown): replaced is Steps<unknown> {
  return typeof replaced === 'object' && replaced !== null;
}

function set(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Returns the new keys, each once: the second `a` becomes `a (2)`. */
function* keySteps(own: readonly string[], toKey: (key: string) => Later<string>): Steps<readonly string[]> {
  const keys: string[] = [];
  for (const [at, key] of own.entries()) {
    if (at % PART_ITEMS === PART_ITEMS - 1) yield;
    const replaced = toKey(key);
    keys.push(typeof replaced === 'string' ? replaced : yield* replaced);
  }
  if (new Set(keys).size === keys.length) return keys;
  const taken = new Set<string>();
  const numbers = new Map<string, number>();
  for (const [at, key] of keys.entries()) {
    if (at % PART_ITEMS === PART_ITEMS - 1) yield;
    let name = key;
    let number = numbers.get(key) ?? 1;
    while (taken.has(name)) name = `${key} (${++number})`;
    numbers.set(key, number);
    taken.add(name);
    keys[at] = name;
  }
  return keys;
}
