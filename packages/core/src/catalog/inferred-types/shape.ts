import type { JsonSchema } from '../tool.ts';

/** The types that were seen in results, as a JSON Schema of these keywords only: never a value. */
export interface ObservedShape {
  readonly type?: readonly ObservedType[];
  readonly properties?: Readonly<Record<string, ObservedShape>>;
  readonly required?: readonly string[];
  /** Of an object whose keys are data. */
  readonly additionalProperties?: ObservedShape;
  readonly items?: ObservedShape;
}

export type ObservedType = 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array';

/** Nesting, and nodes in all, that are looked at; what is beyond may be anything. */
const MAX_DEPTH = 6;
const MAX_NODES = 300;
/** Elements of an array that are looked at. */
const MAX_ELEMENTS = 30;
/** An object with more keys is a table of data. */
const MAX_KEYS = 40;
/** What programs call fields: a word or several, few digits. */
const FIELD_NAME = /^[A-Za-z_$][A-Za-z_$-]*\d{0,2}[A-Za-z_$-]*$/;
const MAX_FIELD_CHARACTERS = 40;
const HEXADECIMAL = /^[\da-f]{6,}$/i;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'boolean', 'null', 'object', 'array']);

const ANYTHING: ObservedShape = {};

/** The types in a value. Keys that look like data (ids, addresses, numbers, names of people) are not kept. */
export function observe(value: unknown): ObservedShape {
  return look(value, 0, { left: MAX_NODES });
}

/** A shape that fits whatever either fits. */
export function mergeShapes(a: ObservedShape, b: ObservedShape): ObservedShape {
  if (!a.type || !b.type) return ANYTHING;
  const type = [...new Set([...a.type, ...b.type])].sort();
  return {
    type,
    ...mergeObjects(a, b),
    ...(a.items || b.items ? { items: a.items && b.items ? mergeShapes(a.items, b.items) : (a.items ?? b.items) } : {}),
  } as ObservedShape;
}

/** A shape of what a file holds; whatever else stands in it is left out. Undefined when it is none. */
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

/** The same as tools' schemas are written. */
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

/** `{Alice: 3, Bob: 5}`: words with capitals over values of one kind are data more often than fields. */
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
  // Keys that hardly ever meet again, over values of one shape, are data that looks like names.
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
