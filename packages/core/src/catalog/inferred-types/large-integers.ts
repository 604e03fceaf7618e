import type { JsonSchema } from '@toolwright/connectors';
import { isObject } from '@toolwright/connectors/internal';

/** The `format` of a place where a result had a whole number beyond ±(2⁵³-1). Programs in JavaScript get its digits as text. */
export const LARGE_INTEGER = 'large-integer';

/** Maximum references and branches that are followed for one schema. */
const MAX_STEPS = 1_000;

/**
 * Returns a declared schema with the places of an observed one that had whole numbers beyond ±(2⁵³-1). Returns undefined if there are none.
 */
export function withLargeIntegers(declared: JsonSchema, observed: JsonSchema): JsonSchema | undefined {
  if (!JSON.stringify(observed).includes(LARGE_INTEGER)) return undefined;
  return mark(declared, observed, { root: declared, steps: MAX_STEPS }) as JsonSchema;
}

function mark(declared: unknown, observed: unknown, marking: { readonly root: unknown; steps: number }): unknown {
  if (!isObject(declared) || !isObject(observed) || --marking.steps < 0) return declared;
  const { $ref, properties, items } = declared;
  const target = typeof $ref === 'string' ? targetOf($ref, marking.root) : undefined;
  if (target !== undefined) {
    const { $ref: _ref, ...own } = declared;
    return mark({ ...Object(target), ...own }, observed, marking);
  }
  const marked: Record<string, unknown> = { ...declared };
  if (observed.format === LARGE_INTEGER && isNumeric(declared.type)) marked.format = LARGE_INTEGER;
  if (isObject(properties) && isObject(observed.properties)) {
    const seen = observed.properties;
    const entries = Object.entries(properties).map(([name, property]): [string, unknown] => [
      name,
      mark(property, Object.hasOwn(seen, name) ? seen[name] : undefined, marking),
    ]);
    marked.properties = Object.fromEntries(entries);
  }
  if (items !== undefined) marked.items = mark(items, observed.items, marking);
  marked.additionalProperties = mark(declared.additionalProperties, observed.additionalProperties, marking);
  if (marked.additionalProperties === undefined) delete marked.additionalProperties;
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    const branches = declared[keyword];
    if (Array.isArray(branches)) marked[keyword] = branches.map((branch) => mark(branch, observed, marking));
  }
  return marked;
}

function isNumeric(type: unknown): boolean {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return types.includes('integer') || types.includes('number');
}

/** Returns the target of a reference within a schema, as a pointer names it. */
function targetOf(reference: string, root: unknown): unknown {
  if (!/^#\/(?:\$defs|definitions)\/[^/~%]+$/.test(reference)) return undefined;
  const [, group = '', name = ''] = reference.split('/');
  const found = isObject(root) && Object.hasOwn(root, group) ? root[group] : undefined;
  return isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
}
