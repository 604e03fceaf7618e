/** A JSON object with unknown keys. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns true for a JSON object, false for lists, null and all other values. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a JSON object; an empty one for any other value. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns the JSON objects of a list; none for any other value. */
export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Returns the value at a path given as keys; undefined when a key is missing. */
export function valueIn(root: unknown, keys: readonly string[]): unknown {
  let value = root;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as JsonObject)[key];
  }
  return value;
}

/** Splits a dotted path into keys, including indexes in brackets. */
export function pathParts(path: string): string[] {
  return path.split('.').flatMap((part) => part.split(/[[\]]/).filter((key, index) => key !== '' || index === 0));
}

/** Returns a value as JSON text for messages, at most `maxChars` characters. */
export function shown(value: unknown, maxChars = 60): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1)}…`;
}
