/** A JSON object, whose members have any type. */
export type JsonObject = { readonly [key: string]: unknown };

/** Returns the value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a JSON object; an empty one for any other value. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a list; an empty one for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a text that is not empty; undefined for any other value. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Levels that are walked by recursion, which takes a tenth of the time. */
const MAX_RECURSION = 200;

/**
 * Returns whether a value is nested deeper than `levels`. It is safe for values of any depth, which `JSON.stringify` and most
 * recursive walks are not. A cyclic value is deeper than any limit.
 */
export function isNestedDeeperThan(value: unknown, levels: number): boolean {
  return isContainer(value) && isDeeper(value, levels, MAX_RECURSION);
}

function isDeeper(held: object, levels: number, recursions: number): boolean {
  if (levels <= 0) return true;
  if (recursions === 0) return isDeeperWithoutRecursion(held, levels);
  if (Array.isArray(held)) {
    for (const child of held) if (isContainer(child) && isDeeper(child, levels - 1, recursions - 1)) return true;
    return false;
  }
  for (const key in held) {
    const child: unknown = held[key as keyof typeof held];
    if (isContainer(child) && isDeeper(child, levels - 1, recursions - 1)) return true;
  }
  return false;
}

function isDeeperWithoutRecursion(value: object, levels: number): boolean {
  const open: [held: object, level: number][] = [[value, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [held, level] = next;
    if (level >= levels) return true;
    for (const child of Object.values(held)) if (isContainer(child)) open.push([child, level + 1]);
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
