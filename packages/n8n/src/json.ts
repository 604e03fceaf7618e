/** A JSON object of which nothing more is known. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Tells a JSON object from everything else. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path that is split already. */
export function valueIn(root: unknown, keys: readonly string[]): unknown {
  let value = root;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as JsonObject)[key];
  }
  return value;
}

/** The keys of a dotted path, numbers in brackets included. */
export function pathParts(path: string): string[] {
  return path.split('.').flatMap((part) => part.split(/[[\]]/).filter((key, index) => key !== '' || index === 0));
}

/** Text of a value for messages: short, on one line. */
export function shown(value: unknown, maxChars = 60): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1)}…`;
}
