import type { JsonSchema } from '@toolwright/connectors';
import { isObject } from '@toolwright/connectors/internal';
import { satisfiable } from './satisfiable.ts';
import { BOUNDS, type Bound, type Definition, type Shape, type TypeName } from './shape.ts';

/** Maximum nodes of one schema; other nodes allow any value. The largest schema of a real server has 2,300. */
export const MAX_SCHEMA_NODES = 20_000;
/** Maximum nesting of a schema; deeper nodes allow any value. */
export const MAX_SCHEMA_DEPTH = 40;

const TYPE_NAMES: ReadonlyMap<string, TypeName> = new Map<string, TypeName>([
  ['string', 'string'],
  ['str', 'string'],
  ['number', 'number'],
  ['float', 'number'],
  ['double', 'number'],
  ['integer', 'integer'],
  ['int', 'integer'],
  ['boolean', 'boolean'],
  ['bool', 'boolean'],
  ['object', 'object'],
  ['dict', 'object'],
  ['array', 'array'],
  ['list', 'array'],
  ['tuple', 'array'],
  ['null', 'null'],
]);

type Node = Readonly<Record<string, unknown>>;

interface Reading {
  readonly root: unknown;
  /** The schema describes what a caller sends. */
  readonly isInput: boolean;
  readonly definitions: Map<string, Definition | undefined>;
  nodes: number;
}

const ANYTHING: Shape = {};
const NOTHING: Shape = { never: true };

/** Reads any value as a JSON Schema. Never throws and always terminates. The result has at most `MAX_SCHEMA_NODES`. */
export function readSchema(schema: JsonSchema | undefined): Shape {
  return readNode(schema, { root: schema, isInput: false, definitions: new Map(), nodes: 0 }, 0);
}

/**
 * Reads the schema of a tool's arguments like {@link readSchema}. A property with a default is optional, also if the schema requires
 * it: zod describes the arguments after parsing, which always have the property. The default is not sent: the server fills it in,
 * and only the server knows whether it still is the one in its schema.
 */
export function readInputSchema(schema: JsonSchema | undefined): Shape {
  return readNode(schema, { root: schema, isInput: true, definitions: new Map(), nodes: 0 }, 0);
}

function readNode(node: unknown, reading: Reading, depth: number): Shape {
  if (node === false) return NOTHING;
  if (!isObject(node) || depth > MAX_SCHEMA_DEPTH || ++reading.nodes > MAX_SCHEMA_NODES) return ANYTHING;
  const ref = typeof node.$ref === 'string' ? definition(node.$ref, reading, depth) : undefined;
  return satisfiable({
    ...readTypes(node),
    ...readObject(node, reading, depth),
    ...readArray(node, reading, depth),
    ...readBranches(node, reading, depth),
    ...readNotes(node),
    ref,
  });
}

/** Keywords whose properties `unevaluatedProperties` counts, and that a shape does not keep. */
const MORE_PROPERTIES = ['if', 'dependentSchemas', 'dependencies', '$dynamicRef', '$recursiveRef'];

function readTypes(node: Node): Shape {
  const nullable = node.nullable === true;
  const named = (Array.isArray(node.type) ? node.type : [node.type]).map((type) =>
    typeof type === 'string' ? TYPE_NAMES.get(type.toLowerCase()) : undefined,
  );
  const known = named.filter((type) => type !== undefined);
  // An unknown type name ("any", "file") may allow any value.
  const types = known.length > 0 && known.length === named.length ? new Set(known) : undefined;
  if (types && nullable) types.add('null');
  let values = Array.isArray(node.enum) && node.enum.length > 0 ? node.enum : undefined;
  if (Object.hasOwn(node, 'const')) values = [node.const];
  if (values && nullable && !values.includes(null)) values = [...values, null];
  return { types: types && [...types], values };
}

function readObject(node: Node, reading: Reading, depth: number): Partial<Shape> {
  const properties = new Map<string, Shape>();
  const required = new Set<string>(strings(node.required));
  if (isObject(node.properties)) {
    for (const [name, property] of Object.entries(node.properties)) {
      if (reading.nodes >= MAX_SCHEMA_NODES) break;
      properties.set(name, readNode(property, reading, depth + 1));
      // Draft 3 marks a required property on the property itself.
      if (isObject(property) && property.required === true) required.add(name);
      if (reading.isInput && hasDefault(property, reading.root)) required.delete(name);
    }
  }
  const allowsMore =
    MORE_PROPERTIES.some((keyword) => Object.hasOwn(node, keyword)) || isOpen(node.unevaluatedProperties);
  const closed =
    node.additionalProperties === false ||
    (node.unevaluatedProperties === false && node.additionalProperties === undefined && !allowsMore);
  const complete = reading.nodes < MAX_SCHEMA_NODES;
  const patterned = isObject(node.patternProperties)
    ? Object.values(node.patternProperties).map((value) => readNode(value, reading, depth + 1))
    : [];
  const extra = isObject(node.additionalProperties)
    ? readNode(node.additionalProperties, reading, depth + 1)
    : node.additionalProperties === true
      ? ANYTHING
      : undefined;
  return {
    properties: properties.size > 0 || isObject(node.properties) ? properties : undefined,
    required: required.size > 0 ? required : undefined,
    patterned: patterned.length > 0 ? patterned : undefined,
    allowsMore: allowsMore || undefined,
    ...(closed && complete ? { extra: false } : extra ? { extra } : {}),
  };
}

function hasDefault(property: unknown, root: unknown): boolean {
  if (!isObject(property)) return false;
  if (Object.hasOwn(property, 'default')) return true;
  const target = typeof property.$ref === 'string' ? resolve(property.$ref, root) : undefined;
  return isObject(target) && Object.hasOwn(target, 'default');
}

function isOpen(unevaluated: unknown): boolean {
  return unevaluated === true || isObject(unevaluated);
}

function readArray(node: Node, reading: Reading, depth: number): Partial<Shape> {
  const tuple = Array.isArray(node.prefixItems) ? node.prefixItems : Array.isArray(node.items) ? node.items : undefined;
  const rest = Array.isArray(node.items) ? node.additionalItems : node.items;
  const items = rest === false ? false : isObject(rest) ? readNode(rest, reading, depth + 1) : undefined;
  return {
    prefix: tuple ? tuple.map((element) => readNode(element, reading, depth + 1)) : undefined,
    items,
  };
}

function readBranches(node: Node, reading: Reading, depth: number): Partial<Shape> {
  const read = (keyword: 'allOf' | 'anyOf' | 'oneOf'): Partial<Shape> => {
    const branches = node[keyword];
    if (!Array.isArray(branches) || branches.length === 0) return {};
    return { [keyword]: branches.map((branch) => readNode(branch, reading, depth + 1)) };
  };
  return { ...read('allOf'), ...read('anyOf'), ...read('oneOf') };
}

function readNotes(node: Node): Partial<Shape> {
  const bounds = new Map<Bound, number>();
  for (const bound of BOUNDS) {
    const value = node[bound];
    if (typeof value === 'number' && Number.isFinite(value)) bounds.set(bound, value);
  }
  // Draft 4: `minimum: 0, exclusiveMinimum: true`.
  for (const [limit, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    const value = bounds.get(limit);
    if (node[exclusive] === true && value !== undefined) bounds.delete(limit) && bounds.set(exclusive, value);
  }
  return {
    bounds: bounds.size > 0 ? bounds : undefined,
    description: typeof node.description === 'string' && node.description.trim() !== '' ? node.description : undefined,
    format: typeof node.format === 'string' ? node.format : undefined,
    pattern: typeof node.pattern === 'string' ? node.pattern : undefined,
    fallback: Object.hasOwn(node, 'default') ? ([node.default] as const) : undefined,
  };
}

/** Returns the definition of a pointer, which is read once. In a cycle, that is the unfinished definition. */
function definition(pointer: string, reading: Reading, depth: number): Definition | undefined {
  if (reading.definitions.has(pointer)) return reading.definitions.get(pointer);
  const target = resolve(pointer, reading.root);
  if (target === undefined) {
    reading.definitions.set(pointer, undefined);
    return undefined;
  }
  const made: { name: string; shape: Shape } = { name: pointerName(pointer), shape: ANYTHING };
  reading.definitions.set(pointer, made);
  made.shape = readNode(target, reading, depth + 1);
  return made;
}

function resolve(pointer: string, root: unknown): unknown {
  if (pointer !== '#' && !pointer.startsWith('#/')) return undefined;
  let target = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) return undefined;
    target = (target as Node)[key];
  }
  return target;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function pointerName(pointer: string): string {
  const parts = pointer
    .split('/')
    .filter((part) => !/^(?:#|\$defs|definitions|properties|items|anyOf|oneOf|allOf|\d+)$/.test(part));
  return parts.at(-1) ?? 'Root';
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
