import { ToolwrightError } from '@toolwright/core/errors';
import { isObject, pathParts } from '../../json.ts';

/** Returns a copy with a new value at a path. Creates missing objects on the path. Raises `INVALID_ARGUMENTS`. */
export function setAt(root: Record<string, unknown>, path: string, value: unknown): Record<string, unknown> {
  const copy = structuredClone(root);
  const keys = pathParts(path.replace(/^parameters\./, ''));
  let at: Record<string, unknown> = copy;
  for (const [index, key] of keys.slice(0, -1).entries()) {
    if (['__proto__', 'constructor', 'prototype'].includes(key)) {
      const message = `"${path}" is not a path of a parameter. Use a path such as options.timeout.`;
      throw new ToolwrightError('INVALID_ARGUMENTS', message);
    }
    if (typeof at[key] !== 'object' || at[key] === null) at[key] = /^\d+$/.test(keys[index + 1] ?? '') ? [] : {};
    at = at[key] as Record<string, unknown>;
  }
  at[keys.at(-1) ?? ''] = value;
  return copy;
}

/** Renames a node in expressions, which refer to nodes by name. */
export function renameInText(value: unknown, name: string, to: string): unknown {
  if (Array.isArray(value)) return value.map((element) => renameInText(element, name, to));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, renameInText(held, name, to)]));
  if (typeof value !== 'string' || !value.includes(name)) return value;
  const quoted = ["'", '"', '`'].flatMap((quote) =>
    [`$(${quote}`, `$node[${quote}`, `$items(${quote}`].map((start) => [start, quote] as const),
  );
  return quoted.reduce(
    (text, [start, quote]) => text.replaceAll(`${start}${name}${quote}`, `${start}${to}${quote}`),
    value,
  );
}
