import type { JsonSchema } from '@toolwright/connectors';
import { areDataKeys, isFieldName } from './field-names.ts';
import { LARGE_INTEGER } from './large-integers.ts';

/** The types of results, as a JSON Schema with these keywords only. Contains no values. */
export interface ObservedShape {
  readonly type?: readonly ObservedType[];
  readonly properties?: Readonly<Record<string, ObservedShape>>;
  readonly required?: readonly string[];
  /** The values of an object whose keys are data. */
  readonly additionalProperties?: ObservedShape;
  readonly items?: ObservedShape;
  /** Set if a whole number was beyond ±(2⁵³-1). */
  readonly format?: typeof LARGE_INTEGER;
}

export type ObservedType = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'object' | 'array';

/** Maximum nesting and nodes of an inspected result. Deeper values have an unknown type. */
const MAX_DEPTH = 6;
const MAX_NODES = 300;
/** Inspected elements of an array. */
const MAX_ELEMENTS = 30;
/** The keys of an object with more keys are data. */
const MAX_KEYS = 40;
/** The keys of an object with more simple values of one type are data. Rows of a file often have only texts. */
const MAX_ALIKE = { string: 24, other: 12 } as const;
/** The keys of this many objects, or lists of objects, of one shape are data. A `billing` and a `shipping` address are fields. */
const ALIKE_OBJECTS = 3;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'null', 'object', 'array']);

const ANYTHING: ObservedShape = {};

/** Returns the types in a value. Omits keys that look like data: ids, addresses, numbers, names of people. */
export function observe(value: unknown): ObservedShape {
  return look(value, 0, { left: MAX_NODES });
}

/** Returns a shape that allows every value of both shapes. */
export function mergeShapes(a: ObservedShape, b: ObservedShape): ObservedShape {
  if (!a.type || !b.type) return ANYTHING;
  const type = [...new Set([...a.type, ...b.type])].sort();
  return {
    type,
    ...mergeObjects(a, b),
    format: a.format || b.format ? LARGE_INTEGER : undefined,
    items: a.items || b.items ? (a.items && b.items ? mergeShapes(a.items, b.items) : (a.items ?? b.items)) : undefined,
  } as ObservedShape;
}

/** Reads a shape from the content of a file, without unknown keywords. Returns undefined for any other content. */
export function readShape(found: unknown, depth = 0): ObservedShape | undefined {
  if (typeof found !== 'object' || found === null || depth > MAX_DEPTH) return undefined;
  const { type, properties, required, additionalProperties, items, format } = found as Record<string, unknown>;
  if (!Array.isArray(type) || !type.every((name) => TYPES.has(name)))
    return Object.keys(found).length === 0 ? ANYTHING : undefined;
  const read = (part: unknown) => readShape(part, depth + 1) ?? ANYTHING;
  const fields =
    typeof properties === 'object' && properties !== null
      ? Object.entries(properties).filter(([name]) => isFieldName(name))
      : undefined;
  return {
    type,
    properties: fields ? fromEntries(fields.map(([name, part]) => [name, read(part)])) : undefined,
    required:
      fields && Array.isArray(required)
        ? required.filter((name) => fields.some(([known]) => known === name))
        : undefined,
    additionalProperties: additionalProperties === undefined ? undefined : read(additionalProperties),
    items: items === undefined ? undefined : read(items),
    format: format === LARGE_INTEGER ? format : undefined,
  };
}

/** Returns a shape as a JSON Schema. */
export function asSchema(shape: ObservedShape): JsonSchema {
  return shape as JsonSchema;
}

function look(value: unknown, depth: number, budget: { left: number }): ObservedShape {
  if (--budget.left < 0 || depth > MAX_DEPTH) return ANYTHING;
  if (value === null) return { type: ['null'] };
  if (Array.isArray(value)) return lookAtArray(value, depth, budget);
  if (typeof value === 'object') return lookAtObject(value, depth, budget);
  const type = typeof value;
  if (type === 'bigint') return { type: ['integer'], format: LARGE_INTEGER };
  return type === 'string' || type === 'number' || type === 'boolean' ? { type: [type] } : ANYTHING;
}

function lookAtArray(values: readonly unknown[], depth: number, budget: { left: number }): ObservedShape {
  const seen = values.slice(0, MAX_ELEMENTS).map((value) => look(value, depth + 1, budget));
  const [first, ...others] = seen;
  return { type: ['array'], items: first ? others.reduce(mergeShapes, first) : undefined };
}

function lookAtObject(value: object, depth: number, budget: { left: number }): ObservedShape {
  const names = firstNames(value);
  const seen = names
    .slice(0, MAX_KEYS)
    .map((name): [string, ObservedShape] => [name, look(value[name as keyof typeof value], depth + 1, budget)]);
  if (names.length > MAX_KEYS || isTable(seen)) {
    return { type: ['object'], additionalProperties: joined(seen.map(([, shape]) => shape)) };
  }
  return { type: ['object'], properties: fromEntries(seen), required: seen.map(([name]) => name).sort() };
}

/** Returns the first names of an object, one more than are inspected. A list of all takes long. */
function firstNames(value: object): string[] {
  const names: string[] = [];
  for (const name in value) {
    if (Object.hasOwn(value, name)) names.push(name);
    if (names.length > MAX_KEYS) break;
  }
  return names;
}

/** Returns whether the keys of an object are data, such as ids or names, and not the names of fields. */
function isTable(fields: readonly [string, ObservedShape][]): boolean {
  const keys = fields.map(([name]) => name);
  if (keys.length > MAX_KEYS || !keys.every(isFieldName)) return true;
  const shapes = fields.map(([, shape]) => shape);
  if (shapes.length >= ALIKE_OBJECTS && areSimilar(shapes)) return true;
  const type = commonType(shapes);
  if (type === undefined) return false;
  if (areDataKeys(keys)) return true;
  if (type === 'object' || type === 'array') return false;
  return shapes.length > (type === 'string' ? MAX_ALIKE.string : MAX_ALIKE.other);
}

/** Returns whether all shapes are objects with mostly the same fields, or lists of such objects. */
function areSimilar(shapes: readonly ObservedShape[]): boolean {
  if (shapes.length > 0 && shapes.every(({ type, items }) => type?.join() === 'array' && items)) {
    return areSimilar(shapes.map(({ items = ANYTHING }) => items));
  }
  const fields = shapes.map(({ type, properties = {} }) => (type?.join() === 'object' ? Object.keys(properties) : []));
  const all = new Set(fields.flat());
  const shared = [...all].filter((name) => fields.every((own) => own.includes(name)));
  return shared.length > 0 && shared.length * 2 >= all.size;
}

function mergeObjects(a: ObservedShape, b: ObservedShape): Partial<ObservedShape> {
  if (a.additionalProperties || b.additionalProperties) {
    const values = [a, b].flatMap((shape) => [
      ...(shape.additionalProperties ? [shape.additionalProperties] : []),
      ...Object.values(shape.properties ?? {}),
    ]);
    return { additionalProperties: joined(values) };
  }
  if (!a.properties || !b.properties) {
    const { properties, required } = a.properties ? a : b;
    return properties ? { properties, required } : {};
  }
  const names = [...new Set([...Object.keys(a.properties), ...Object.keys(b.properties)])].sort();
  const shared = names.filter((name) => has(a.properties, name) && has(b.properties, name));
  const merged = names.map((name): [string, ObservedShape] => [
    name,
    joined([a, b].flatMap((shape) => get(shape, name))),
  ]);
  // Keys that rarely occur twice, with values of one type, are data that looks like names.
  const rarelyRepeat = names.length > 5 && shared.length * 3 < names.length;
  const shapes = merged.map(([, shape]) => shape);
  if (isTable(merged) || (rarelyRepeat && commonType(shapes))) return { additionalProperties: joined(shapes) };
  const required = shared.filter((name) => a.required?.includes(name) && b.required?.includes(name));
  return { properties: fromEntries(merged), required };
}

/** Returns the type that all shapes have in common, apart from null; undefined for different types. */
function commonType(shapes: readonly ObservedShape[]): string | undefined {
  const types = new Set<string>(
    shapes.flatMap(({ type }): readonly string[] => type ?? ['unknown']).filter((type) => type !== 'null'),
  );
  const [only] = types;
  return types.size === 1 ? only : undefined;
}

function joined(shapes: readonly ObservedShape[]): ObservedShape {
  const [first = ANYTHING, ...others] = shapes;
  return others.reduce(mergeShapes, first);
}

function get({ properties }: ObservedShape, name: string): ObservedShape[] {
  const found = has(properties, name) ? properties?.[name] : undefined;
  return found ? [found] : [];
}

function has(properties: ObservedShape['properties'], name: string): boolean {
  return properties !== undefined && Object.hasOwn(properties, name);
}

function fromEntries(entries: readonly [string, ObservedShape][]): Record<string, ObservedShape> {
  return Object.fromEntries(entries);
}
