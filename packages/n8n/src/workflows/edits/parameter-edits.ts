import { isObject, pathParts, shown, valueIn } from '../../json.ts';
import { invalid } from '../../tool.ts';

/**
 * Returns a copy with a new value at a path. Creates missing objects on the path. Raises `INVALID_ARGUMENTS` for a path through a
 * text or another single value, and for a place after the end of a list.
 */
export function setAt(root: Record<string, unknown>, path: string, value: unknown): Record<string, unknown> {
  const copy = structuredClone(root);
  const keys = keysOf(path);
  let at: Record<string, unknown> = copy;
  for (const [index, key] of keys.entries()) {
    if (Array.isArray(at) && !(/^\d+$/.test(key) && Number(key) <= at.length))
      throw invalid(`"${path}" is not a path of a parameter: the list has ${at.length} values, and no "${key}".`);
    if (index === keys.length - 1) break;
    const held = at[key] ?? undefined;
    if (held !== undefined && typeof held !== 'object')
      throw invalid(`"${path}" leads through ${shown(held)}, which is no object. Set the whole of "${key}" instead.`);
    at[key] = held ?? (/^\d+$/.test(keys[index + 1] ?? '') ? [] : {});
    at = at[key] as Record<string, unknown>;
  }
  at[keys.at(-1) ?? ''] = value;
  return copy;
}

/** Returns a copy with one part of a text replaced. Raises `INVALID_ARGUMENTS` unless the text has the part exactly once. */
export function replaceIn(
  root: Record<string, unknown>,
  path: string,
  { find, replace }: { readonly find: string; readonly replace: string },
): Record<string, unknown> {
  const text = valueIn(root, keysOf(path));
  if (typeof text !== 'string') throw invalid(`"${path}" is ${shown(text)}, not a text. Use updateNode to set it.`);
  const parts = find === '' ? [] : text.split(find);
  if (parts.length !== 2) {
    const count = Math.max(0, parts.length - 1);
    throw invalid(
      `"${path}" has ${shown(find)} ${count} times, not once. Pass a longer part of the text, with its spaces.`,
    );
  }
  return setAt(root, path, parts.join(replace));
}

function keysOf(path: string): string[] {
  const keys = pathParts(path.replace(/^parameters\./, ''));
  if (keys.every((key) => key !== '' && !['__proto__', 'constructor', 'prototype'].includes(key))) return keys;
  throw invalid(`"${path}" is not a path of a parameter. Use a path such as options.timeout.`);
}

/** References to nodes: `$("A")`, `$node["A"]`, `$items("A")`, and the same with `_` in Python. */
const REFERENCE =
  /((?<![\w$])[$_](?:\(\s*|(?:node|items)\s*[[(]\s*))(?:"((?:\\.|[^"\\\n\r])*)"|'((?:\\.|[^'\\\n\r])*)'|`((?:\\.|[^`\\])*)`)/g;
const DOTTED = /\$node\.([A-Za-z_$][\w$]*)/g;

/** Renames a node in expressions and programs, which refer to nodes by name. */
export function renameInText(value: unknown, name: string, to: string): unknown {
  if (Array.isArray(value)) return value.map((element) => renameInText(element, name, to));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, renameInText(held, name, to)]));
  if (typeof value !== 'string') return value;
  return value
    .replace(REFERENCE, (all: string, start: string, ...found: (string | undefined)[]) => {
      const place = found.slice(0, QUOTES.length).findIndex((each) => each !== undefined);
      const quote = QUOTES[place] ?? '"';
      return found[place]?.replace(/\\(.)/g, '$1') === name ? `${start}${quote}${escaped(to, quote)}${quote}` : all;
    })
    .replace(DOTTED, (all: string, found: string) => (found === name ? `$node["${escaped(to, '"')}"]` : all));
}

const QUOTES = ['"', "'", '`'];

function escaped(name: string, quote: string): string {
  return name.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`);
}
