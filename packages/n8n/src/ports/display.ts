import { isDeepStrictEqual } from 'node:util';
import type { DisplayOptions } from '../catalogs/description.ts';
import { isObject, type JsonObject, pathParts, valueIn } from '../json.ts';

/** Facts about a node that display rules read, in addition to its parameters. */
export interface Shown {
  readonly typeVersion: number | undefined;
  /** True when the node's full type ends in `Tool`. */
  readonly isTool: boolean;
}

/** One display rule, with the path of the values it reads. */
interface Rule {
  readonly from: 'local' | 'root' | 'version' | 'tool';
  readonly keys: readonly string[];
  readonly conditions: readonly unknown[];
}

interface Rules {
  readonly show: readonly Rule[];
  readonly hide: readonly Rule[];
}

const compiled = new WeakMap<DisplayOptions, Rules>();

/**
 * Returns whether a parameter or credential is shown. `local` holds the values of the same collection, `root` those of the
 * node. As in n8n, an expression satisfies every `show` rule.
 */
export function isShown(
  { displayOptions }: { readonly displayOptions?: DisplayOptions },
  local: unknown,
  root: unknown,
  node: Shown,
): boolean {
  if (displayOptions === undefined) return true;
  const { show, hide } = rulesOf(displayOptions);
  for (const rule of show) {
    const values = valuesOf(rule, local, root, node);
    if (values.some((value) => typeof value === 'string' && value.startsWith('='))) return true;
    if (!meetsOne(rule.conditions, values)) return false;
  }
  for (const rule of hide) {
    const values = valuesOf(rule, local, root, node);
    if (values.length > 0 && meetsOne(rule.conditions, values)) return false;
  }
  return true;
}

function rulesOf(options: DisplayOptions): Rules {
  const known = compiled.get(options);
  if (known) return known;
  const read = (rules: DisplayOptions['show'] = {}): Rule[] =>
    Object.entries(rules).map(([name, conditions]) => {
      if (name === '@version') return { from: 'version', keys: [], conditions };
      if (name === '@tool') return { from: 'tool', keys: [], conditions };
      const from = name.startsWith('/') ? 'root' : 'local';
      return { from, keys: pathParts(from === 'root' ? name.slice(1) : name), conditions };
    });
  const rules = { show: read(options.show), hide: read(options.hide) };
  compiled.set(options, rules);
  return rules;
}

function valuesOf({ from, keys }: Rule, local: unknown, root: unknown, node: Shown): readonly unknown[] {
  let value: unknown;
  if (from === 'version') value = node.typeVersion ?? 0;
  else if (from === 'tool') value = node.isTool;
  else value = valueIn(from === 'root' ? root : local, keys);
  if (typeof value !== 'object' || value === null) return [value];
  if (Array.isArray(value)) return value;
  return '__rl' in value && value.__rl && 'value' in value ? listOf(value.value) : [value];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function meetsOne(conditions: readonly unknown[], values: readonly unknown[]): boolean {
  return conditions.some((condition) => {
    if (!isObject(condition) || !isObject(condition._cnd)) return values.includes(condition);
    const [comparison = '', target] = Object.entries(condition._cnd)[0] ?? [];
    if (values.length === 0) return comparison === 'not';
    return values.every((value) => compares(comparison, value, target));
  });
}

function compares(comparison: string, value: unknown, target: unknown): boolean {
  switch (comparison) {
    case 'eq':
      return isDeepStrictEqual(value, target);
    case 'not':
      return !isDeepStrictEqual(value, target);
    case 'exists':
      return value !== null && value !== undefined && value !== '';
    case 'gte':
      return Number(value) >= Number(target);
    case 'lte':
      return Number(value) <= Number(target);
    case 'gt':
      return Number(value) > Number(target);
    case 'lt':
      return Number(value) < Number(target);
    case 'between': {
      const { from, to } = target as JsonObject;
      return Number(value) >= Number(from) && Number(value) <= Number(to);
    }
    case 'includes':
      return (typeof value === 'string' || Array.isArray(value)) && value.includes(target as string);
    case 'startsWith':
      return typeof value === 'string' && value.startsWith(String(target));
    case 'endsWith':
      return typeof value === 'string' && value.endsWith(String(target));
    case 'regex':
      return new RegExp(String(target)).test(String(value));
    default:
      return false;
  }
}
