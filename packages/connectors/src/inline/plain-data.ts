import { exactText, parseExact } from '@toolwright/sandbox/internal';

/** Levels of a value that are copied without a text. JSON reports a cycle. */
const MAX_LEVELS = 100;
/** Marks a value that only JSON converts. */
const UNUSUAL = Symbol('unusual');

/**
 * Copies arguments or a result as plain data, with the same result as `JSON.parse(JSON.stringify(value))`, and `null` for `undefined`.
 * A `bigint` stays one beyond ±(2⁵³-1), and is a number otherwise.
 * Long texts are not copied. Raises the errors of JSON, for example for a cycle.
 */
export function toPlainData(value: unknown): unknown {
  const copy = copyOf(value, 0);
  if (copy !== UNUSUAL) return copy ?? null;
  const text: string | undefined = exactText(value);
  return text === undefined ? null : parseExact(text);
}

function copyOf(value: unknown, level: number): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      // JSON has no negative zero.
      return Number.isFinite(value) ? value + 0 : null;
    case 'object':
      if (value === null) return null;
      if (level === MAX_LEVELS || 'toJSON' in value) return UNUSUAL;
      return Array.isArray(value) ? copyOfArray(value, level) : copyOfObject(value, level);
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    default:
      return undefined;
  }
}

function copyOfArray(values: readonly unknown[], level: number): unknown {
  const copy: unknown[] = [];
  for (const value of values) {
    const next = copyOf(value, level + 1);
    if (next === UNUSUAL) return UNUSUAL;
    copy.push(next ?? null);
  }
  return copy;
}

function copyOfObject(value: object, level: number): unknown {
  const prototype: unknown = Object.getPrototypeOf(value);
  if ((prototype !== Object.prototype && prototype !== null) || Object.hasOwn(value, '__proto__')) return UNUSUAL;
  const copy: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(value)) {
    const next = copyOf(child, level + 1);
    if (next === UNUSUAL) return UNUSUAL;
    if (next !== undefined) copy[key] = next;
  }
  return copy;
}
