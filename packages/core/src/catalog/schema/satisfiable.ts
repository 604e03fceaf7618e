import type { Bound, Shape, TypeName } from './shape.ts';

/** Bounds of the same measure: those below, and those above. The second of each is exclusive. */
const RANGES: readonly { readonly least: readonly Bound[]; readonly most: readonly Bound[] }[] = [
  { least: ['minimum', 'exclusiveMinimum'], most: ['maximum', 'exclusiveMaximum'] },
  { least: ['minLength'], most: ['maxLength'] },
  { least: ['minItems'], most: ['maxItems'] },
  { least: ['minProperties'], most: ['maxProperties'] },
];

/**
 * Returns a shape without the keywords that no value can satisfy together: such a schema must not block
 * every call. Listed values count more than a type or a bound, and a type more than a bound.
 */
export function satisfiable(shape: Shape): Shape {
  if (shape.never) return shape;
  return withinBounds(withRequired(withTypes(withItems(withParts(shape)))));
}

/** Parts of which no value can have all types are alternatives: generators write `allOf` for types that were merged. */
function withParts(shape: Shape): Shape {
  const { allOf, ...others } = shape;
  const typed = allOf?.flatMap(({ types }) => (types ? [types] : [])) ?? [];
  const clashes = typed.some((some, at) => typed.slice(at + 1).some((other) => !overlap(some, other)));
  if (!allOf || !clashes || others.anyOf || others.oneOf) return shape;
  return { ...others, anyOf: allOf };
}

/** Generators write the values of items next to the type of their list. */
function withItems(shape: Shape): Shape {
  const { types, values, items, ...others } = shape;
  const elements = values?.filter((value) => value !== null);
  if (!elements?.length || !types?.includes('array') || elements.some((value) => isOf(value, types))) return shape;
  if (items === false || types.some((type) => type !== 'array' && type !== 'null')) return shape;
  return { ...others, types, items: items?.values ? items : satisfiable({ ...items, values: elements }) };
}

/** A type that no listed value and no alternative has is left out. */
function withTypes(shape: Shape): Shape {
  const { types, ...others } = shape;
  if (types === undefined) return shape;
  const byValue = shape.values !== undefined && !shape.values.some((value) => isOf(value, types));
  const branches = shape.anyOf ?? shape.oneOf ?? [];
  const byBranch = branches.length > 0 && branches.every((branch) => branch.types && !overlap(branch.types, types));
  return byValue || byBranch ? others : shape;
}

/** A required property that is not declared is allowed, and one that is forbidden is not required. */
function withRequired(shape: Shape): Shape {
  const { required, properties, extra, bounds } = shape;
  if (required === undefined) return shape;
  const isOpen = extra !== false || shape.patterned || shape.allOf || shape.anyOf || shape.oneOf || shape.ref;
  const missing = isOpen ? [] : [...required].filter((name) => !properties?.has(name));
  const forbidden = [...required].filter((name) => properties?.get(name)?.never);
  const isMany = required.size > (bounds?.get('maxProperties') ?? Number.POSITIVE_INFINITY);
  return {
    ...shape,
    ...(missing.length === 0
      ? {}
      : { properties: new Map<string, Shape>([...(properties ?? []), ...missing.map((name) => [name, {}] as const)]) }),
    ...(forbidden.length === 0 ? {} : { required: new Set([...required].filter((name) => !forbidden.includes(name))) }),
    ...(isMany && bounds ? { bounds: without(bounds, ['maxProperties']) } : {}),
  };
}

function withinBounds(shape: Shape): Shape {
  const { bounds, values, prefix, items } = shape;
  if (bounds === undefined) return shape;
  let left = bounds;
  for (const { least, most } of RANGES) {
    const low = Math.max(...least.map((bound) => bounds.get(bound) ?? Number.NEGATIVE_INFINITY));
    const high = Math.min(...most.map((bound) => bounds.get(bound) ?? Number.POSITIVE_INFINITY));
    const isCount = least[0] !== 'minimum';
    const isExclusive = [least[1], most[1]].some(
      (bound) => bound && (bounds.get(bound) === low || bounds.get(bound) === high),
    );
    if (low > high || (low === high && isExclusive) || (isCount && high < 0)) left = without(left, [...least, ...most]);
  }
  if (items === false && (left.get('minItems') ?? 0) > (prefix?.length ?? 0)) left = without(left, ['minItems']);
  if (values && !values.some((value) => isWithin(value, left))) left = new Map();
  if (left === bounds) return shape;
  const { bounds: _bounds, ...others } = shape;
  return left.size === 0 ? others : { ...others, bounds: left };
}

function without(bounds: ReadonlyMap<Bound, number>, dropped: readonly Bound[]): ReadonlyMap<Bound, number> {
  return new Map([...bounds].filter(([bound]) => !dropped.includes(bound)));
}

function isWithin(value: unknown, bounds: ReadonlyMap<Bound, number>): boolean {
  const least = (bound: Bound) => bounds.get(bound) ?? Number.NEGATIVE_INFINITY;
  const most = (bound: Bound) => bounds.get(bound) ?? Number.POSITIVE_INFINITY;
  if (typeof value === 'number') return value >= least('minimum') && value <= most('maximum');
  if (typeof value === 'string') return value.length >= least('minLength') && value.length <= most('maxLength');
  return true;
}

function isOf(value: unknown, types: readonly TypeName[]): boolean {
  if (value === null) return types.includes('null');
  if (Array.isArray(value)) return types.includes('array');
  if (typeof value === 'number')
    return types.includes('number') || (types.includes('integer') && Number.isInteger(value));
  return types.includes(typeof value as TypeName);
}

function overlap(some: readonly TypeName[], others: readonly TypeName[]): boolean {
  const isNumber = (type: TypeName) => type === 'number' || type === 'integer';
  return some.some((type) => others.some((other) => type === other || (isNumber(type) && isNumber(other))));
}
