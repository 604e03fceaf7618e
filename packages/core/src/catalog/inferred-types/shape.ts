import type { JsonSchema } from '../tool.ts';

/** The types of results, as a JSON Schema with these keywords only. Contains no values. */
export interface ObservedShape {
  readonly type?: readonly ObservedType[];
  readonly properties?: Readonly<Record<string, ObservedShape>>;
  readonly required?: readonly string[];
  /** The values of an object whose keys are data. */
  readonly additionalProperties?: ObservedShape;
  readonly items?: ObservedShape;
}

export type ObservedType = 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array';

/** Maximum nesting and nodes of an inspected result. Deeper values have an unknown type. */
const MAX_DEPTH = 6;
const MAX_NODES = 300;
/** Inspected elements of an array. */
const MAX_ELEMENTS = 30;
/** The keys of an object with more keys are data. */
const MAX_KEYS = 40;
/** A typical name of a field: one or more words, few digits. */
const FIELD_NAME = /^[A-Za-z_$][A-Za-z_$-]*\d{0,2}[A-Za-z_$-]*$/;
const MAX_FIELD_CHARACTERS = 40;
const HEXADECIMAL = /^[\da-f]{6,}$/i;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'boolean', 'null', 'object', 'array']);

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
    ...(a.items || b.items ? { items: a.items && b.items ? mergeShapes(a.items, b.items) : (a.items ?? b.items) } : {}),
  } as ObservedShape;
}

/** Reads a shape from the content of a file, without unknown keywords. Returns undefined for any other content. */
export function readShape(found: unknown, depth = 0): ObservedShape | undefined {
  if (typeof found !== 'object' || found === null || depth > MAX_DEPTH) return undefined;
  const { type, properties, required, additionalProperties, items } = found as Record<string, unknown>;
  if (!Array.isArray(type) || !type.every((name) => TYPES.has(name)))
    return Object.keys(found).length === 0 ? ANYTHING : undefined;
  const read = (part: unknown) => readShape(part, depth + 1) ?? ANYTHING;
  const fields =
    typeof properties === 'object' && properties !== null
      ? Object.entries(properties).filter(([name]) => isFieldName(name))
      : undefined;
  return {
    type,
    ...(fields ? { properties: fromEntries(fields.map(([name, part]) => [name, read(part)])) } : {}),
    ...(fields && Array.isArray(required)
      ? { required: required.filter((name) => fields.some(([known]) => known === name)) }
      : {}),
    ...(additionalProperties === undefined ? {} : { additionalProperties: read(additionalProperties) }),
    ...(items === undefined ? {} : { items: read(items) }),
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
  return type === 'string' || type === 'number' || type === 'boolean' ? { type: [type] } : ANYTHING;
}

function lookAtArray(values: readonly unknown[], depth: number, budget: { left: number }): ObservedShape {
  const seen = values.slice(0, MAX_ELEMENTS).map((value) => look(value, depth + 1, budget));
  const [first, ...others] = seen;
  return { type: ['array'], ...(first ? { items: others.reduce(mergeShapes, first) } : {}) };
}

function lookAtObject(value: object, depth: number, budget: { left: number }): ObservedShape {
  const entries = Object.entries(value);
  const isTable = entries.length > MAX_KEYS || !entries.every(([name]) => isFieldName(name)) || areNames(entries);
  const seen = entries
    .slice(0, MAX_KEYS)
    .map(([name, held]): [string, ObservedShape] => [name, look(held, depth + 1, budget)]);
  if (isTable) return { type: ['object'], additionalProperties: joined(seen.map(([, shape]) => shape)) };
  return { type: ['object'], properties: fromEntries(seen), required: seen.map(([name]) => name).sort() };
}

/** Capitalised words with values of one type are usually data: `{Alice: 3, Bob: 5}`. */
function areNames(entries: readonly [string, unknown][]): boolean {
  const kinds = new Set(entries.map(([, value]) => typeof value));
  return entries.length > 1 && kinds.size === 1 && entries.every(([name]) => /^[A-Z][a-z]/.test(name));
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
    return properties ? { properties, ...(required ? { required } : {}) } : {};
  }
  const names = [...new Set([...Object.keys(a.properties), ...Object.keys(b.properties)])].sort();
  const shared = names.filter((name) => has(a.properties, name) && has(b.properties, name));
  const merged = names.map((name): [string, ObservedShape] => [
    name,
    joined([a, b].flatMap((shape) => get(shape, name))),
  ]);
  // Keys that rarely occur twice, with values of one type, are data that looks like names.
  const isTable = names.length > MAX_KEYS || (names.length > 5 && shared.length * 3 < names.length && areAlike(merged));
  if (isTable) return { additionalProperties: joined(merged.map(([, shape]) => shape)) };
  const required = shared.filter((name) => a.required?.includes(name) && b.required?.includes(name));
  return { properties: fromEntries(merged), required };
}

function areAlike(fields: readonly [string, ObservedShape][]): boolean {
  return new Set(fields.map(([, shape]) => JSON.stringify(shape.type))).size === 1;
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

function isFieldName(name: string): boolean {
  return (
    name.length <= MAX_FIELD_CHARACTERS && FIELD_NAME.test(name) && !HEXADECIMAL.test(name) && name !== '__proto__'
  );
}

function fromEntries(entries: readonly [string, ObservedShape][]): Record<string, ObservedShape> {
  return Object.fromEntries(entries);
}
