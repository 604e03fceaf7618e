import type { Definition, Shape } from './schema.ts';
import { propertyKey, sourceString } from './text.ts';

/** How a shape is written as a TypeScript type. */
export interface TypeOptions {
  /** Nesting of objects and arrays that is written out; deeper is `unknown`. */
  readonly depth: number;
  /** Fixed values that are written out, and the characters of one. */
  readonly maxValues: number;
  /** Properties of one object that are written out. */
  readonly maxProperties: number;
  /** Name of a definition that is declared elsewhere; undefined writes it out in place. */
  readonly named?: (definition: Definition) => string | undefined;
  /** Comment before a property, with its line end and indentation; none in one-line types. */
  readonly comment?: (property: Shape, indent: string) => string;
  /** Writes each property on its own line from this indentation on; undefined is one line. */
  readonly indent?: string;
  /** What stands for fixed values that are left out; must be a type where the text has to compile. */
  readonly more: string;
}

/** Where the emitter stands: what is being written out in place, and whether a name may be used (see `typeOf`). */
interface Place {
  readonly depth: number;
  readonly indent: string;
  readonly open: ReadonlySet<Definition>;
  /** Below a property or an element; a type alias that names itself anywhere else does not compile. */
  readonly nested: boolean;
  /** Shapes that may still be written: definitions written out in place can multiply without end. */
  readonly budget: { left: number };
}

/** An object type with everything that `allOf` and its own keywords say about it. */
export interface ObjectView {
  readonly properties: ReadonlyMap<string, Shape>;
  readonly required: ReadonlySet<string>;
  readonly extra: Shape | false | undefined;
}

const MAX_MERGES = 50;
const MAX_WRITTEN_SHAPES = 10_000;

/** Writes a shape as a TypeScript type. Total; `nested` is false where the text becomes a type alias or an argument. */
export function typeOf(shape: Shape, options: TypeOptions, nested = false): string {
  const budget = { left: MAX_WRITTEN_SHAPES };
  return write(shape, options, { depth: 0, indent: options.indent ?? '', open: new Set(), nested, budget });
}

/** All properties of an object shape, those of its `allOf` and `$ref` included; a property's first meaning wins. */
export function objectView(shape: Shape): ObjectView {
  const properties = new Map<string, Shape>();
  const required = new Set<string>();
  const seen = new Set<Shape>();
  let extra: Shape | false | undefined;
  const queue: Shape[] = [shape];
  for (let next = queue.shift(); next && seen.size < MAX_MERGES; next = queue.shift()) {
    if (seen.has(next)) continue;
    seen.add(next);
    for (const [name, property] of next.properties ?? []) if (!properties.has(name)) properties.set(name, property);
    for (const name of next.required ?? []) required.add(name);
    extra ??= next.extra ?? (next.patterned ? {} : undefined);
    queue.push(...(next.allOf ?? []), ...(next.ref ? [next.ref.shape] : []));
  }
  return { properties, required, extra };
}

function write(shape: Shape, options: TypeOptions, place: Place): string {
  if (shape.never) return 'never';
  if (--place.budget.left < 0) return 'unknown';
  if (shape.values) return literals(shape.values, options);
  const parts = [
    ...(shape.ref ? [reference(shape.ref, options, place)] : []),
    ...branches(shape.anyOf, options, place),
    ...branches(shape.oneOf, options, place),
    ...(shape.allOf ?? []).map((branch) => write(branch, options, place)),
    ...own(shape, options, place),
  ].filter((part) => part !== 'unknown');
  const distinct = [...new Set(parts)];
  return (distinct.length > 1 ? distinct.map(parenthesised) : distinct).join(' & ') || 'unknown';
}

function branches(shapes: readonly Shape[] | undefined, options: TypeOptions, place: Place): string[] {
  return shapes ? [union(shapes.map((branch) => write(branch, options, place)))] : [];
}

/** The part of a type that comes from the shape's own `type`, `properties` and `items`. */
function own(shape: Shape, options: TypeOptions, place: Place): string[] {
  const describesObject = shape.properties !== undefined || shape.extra !== undefined || shape.patterned !== undefined;
  const describesArray = shape.items !== undefined || shape.prefix !== undefined;
  const branching = shape.anyOf ?? shape.oneOf ?? shape.ref;
  let types = shape.types;
  if (!types && describesObject) types = ['object'];
  if (!types && describesArray) types = ['array'];
  if (!types) return [];
  // `{type: object, anyOf: […]}`: the branches say it better than a bare "object" would.
  if (branching && types.length === 1 && !describesObject && !describesArray) {
    if (types[0] === 'object' || types[0] === 'array') return [];
  }
  return [
    union(
      types.map((type) => {
        if (type === 'object') return object(shape, options, place);
        if (type === 'array') return array(shape, options, place);
        return type === 'integer' ? 'number' : type;
      }),
    ),
  ];
}

function reference(definition: Definition, options: TypeOptions, place: Place): string {
  const name = options.named?.(definition);
  if (name !== undefined && place.nested) return name;
  if (place.open.has(definition)) return 'unknown';
  return write(definition.shape, options, { ...place, open: new Set([...place.open, definition]) });
}

function object(shape: Shape, options: TypeOptions, place: Place): string {
  const properties = shape.properties ?? new Map<string, Shape>();
  if (properties.size === 0) return dictionary(shape, options, place);
  if (place.depth >= options.depth) return 'object';
  const inner = below(options, place);
  const members: string[] = [];
  for (const [name, property] of inOrder(properties, shape.required)) {
    if (members.length >= options.maxProperties) break;
    const mark = shape.required?.has(name) ? '' : '?';
    const comment = options.comment?.(property, inner.indent) ?? '';
    members.push(`${comment}${propertyKey(name)}${mark}: ${write(property, options, inner)}`);
  }
  const hidden = properties.size - members.length;
  if (hidden > 0) members.push(options.indent === undefined ? '…' : '[more: string]: unknown');
  else if (shape.extra || shape.patterned) members.push('[key: string]: unknown');
  if (options.indent === undefined) return `{${members.join(', ')}}`;
  return `{\n${members.map((member) => `${inner.indent}${member};`).join('\n')}\n${place.indent}}`;
}

function dictionary(shape: Shape, options: TypeOptions, place: Place): string {
  if (shape.extra === false && !shape.patterned)
    return options.indent === undefined ? '{}' : '{ [key: string]: never }';
  if (shape.extra && !shape.patterned && place.depth < options.depth) {
    const value = write(shape.extra, options, below(options, place));
    if (value !== 'unknown') return `{[key: string]: ${value}}`;
  }
  return options.indent === undefined ? 'object' : '{ [key: string]: unknown }';
}

function array(shape: Shape, options: TypeOptions, place: Place): string {
  if (place.depth >= options.depth) return 'unknown[]';
  const inner = { ...below(options, place), indent: place.indent };
  const rest = shape.items ? write(shape.items, options, inner) : 'unknown';
  if (!shape.prefix || shape.prefix.length === 0) return `${parenthesised(rest)}[]`;
  const shown = shape.prefix.slice(0, options.maxProperties).map((element) => write(element, options, inner));
  // JSON Schema lets a tuple be shorter than its prefix, so its elements are optional.
  const elements = shown.map((element) => `${parenthesised(element)}?`);
  const open = shape.items !== false || shown.length < shape.prefix.length;
  return `[${[...elements, ...(open ? [`...(${rest})[]`] : [])].join(', ')}]`;
}

function below(options: TypeOptions, place: Place): Place {
  const indent = options.indent === undefined ? '' : `${place.indent}  `;
  return { ...place, depth: place.depth + 1, indent, nested: true };
}

/** Required properties first, each group in the order of the schema. */
export function inOrder(properties: ReadonlyMap<string, Shape>, required?: ReadonlySet<string>): [string, Shape][] {
  const all = [...properties];
  return [...all.filter(([name]) => required?.has(name)), ...all.filter(([name]) => !required?.has(name))];
}

function literals(values: readonly unknown[], options: TypeOptions): string {
  const shown = values.slice(0, options.maxValues).map((value) => literal(value));
  return union(values.length > shown.length ? [...shown, options.more] : shown);
}

function literal(value: unknown): string {
  if (typeof value === 'string') return sourceString(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'number';
  if (typeof value === 'boolean' || value === null) return String(value);
  return Array.isArray(value) ? 'unknown[]' : 'object';
}

function union(members: readonly string[]): string {
  if (members.includes('unknown')) return 'unknown';
  return [...new Set(members)].join(members.every((member) => /^"[^"]*"$|^…$/.test(member)) ? '|' : ' | ');
}

function parenthesised(text: string): string {
  return isCompound(text) ? `(${text})` : text;
}

/** Tells whether `|` or `&` joins types outside of all brackets and quotes. */
function isCompound(text: string): boolean {
  const outside = text.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  let depth = 0;
  for (const character of outside) {
    if ('{[('.includes(character)) depth++;
    else if ('}])'.includes(character)) depth--;
    else if (depth === 0 && (character === '|' || character === '&')) return true;
  }
  return false;
}
