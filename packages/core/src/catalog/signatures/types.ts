import { LARGE_INTEGER } from '../inferred-types/large-integers.ts';
import type { Definition, Shape, TypeName } from '../schema/shape.ts';

/** The syntax of types in a language. All arguments are types in that syntax. */
export interface TypeSyntax {
  /** The type of any value. A union with it is reduced to it. */
  readonly anything: string;
  readonly nothing: string;
  /** The type of an array with unknown elements. */
  readonly bareArray: string;
  primitive(type: Exclude<TypeName, 'object' | 'array'>): string;
  /** The type of a whole number beyond 2^53, if it is another one than that of numbers. */
  readonly digits?: string;
  /** The allowed values, all of them. */
  literals(values: readonly unknown[]): string;
  /** The type of values that are too many to write. */
  manyValues(values: readonly unknown[]): string;
  union(members: readonly string[]): string;
  /** Absent in languages without intersections: then the parts of an object are merged into one object. */
  readonly intersection?: (members: readonly string[]) => string;
  /** An array: the types of its first elements, and of all others; `undefined` when there are no others. */
  array(first: readonly string[], rest: string | undefined): string;
  /** An object with unknown keys, or too deeply nested to show them. `value` is `undefined` for unknown values. */
  dictionary(value: string | undefined): string;
  /** The type of an object without properties. */
  readonly empty: string;
  object(members: readonly TypeMember[], more: 'none' | 'hidden' | 'allowed', place: TypePlace): string;
}

/** One property of an object type. */
export interface TypeMember {
  readonly name: string;
  readonly required: boolean;
  readonly type: string;
  readonly shape: Shape;
}

/** The position of an object type. */
export interface TypePlace {
  /** The indentation of the line that it starts on. */
  readonly indent: string;
  /** The names of the properties that lead to the type, from the outermost to the innermost. */
  readonly path: readonly string[];
}

/** The syntax and the detail of a written type. */
export interface TypeOptions {
  readonly syntax: TypeSyntax;
  /** Maximum nesting of objects and arrays. Deeper ones are written without content. */
  readonly depth: number;
  /** Maximum number of values of an enum. A longer one is not written: a part of it would look like all of it. */
  readonly maxValues: number;
  /** Maximum number of written properties of an object. */
  readonly maxProperties: number;
  /** Returns the name of a definition that is declared elsewhere; undefined writes the definition in place. */
  readonly named?: (definition: Definition) => string | undefined;
}

/** The position of the writer: the open definitions, and whether a name is allowed (see `typeOf`). */
interface Place extends TypePlace {
  readonly depth: number;
  readonly open: ReadonlySet<Definition>;
  /** True below a property or an element: a type alias may refer to itself only there. */
  readonly nested: boolean;
  /** The remaining number of shapes: definitions that are written in place can multiply exponentially. */
  readonly budget: { left: number };
}

/** The properties of an object from its own keywords, its `allOf` and its `$ref`. */
export interface ObjectView {
  readonly properties: ReadonlyMap<string, Shape>;
  readonly required: ReadonlySet<string>;
  readonly extra: Shape | false | undefined;
}

const MAX_MERGES = 50;
const MAX_WRITTEN_SHAPES = 10_000;

/**
 * Writes a shape as a type. Never throws. `nested` is false where the text becomes a type alias or an argument. `path` is
 * the start of {@link TypePlace.path}, for syntaxes that name their types.
 */
export function typeOf(shape: Shape, options: TypeOptions, nested = false, path: readonly string[] = []): string {
  const budget = { left: MAX_WRITTEN_SHAPES };
  return write(shape, options, { depth: 0, indent: '', path, open: new Set(), nested, budget });
}

/** Writes values that are too many to show by their number, as a type of any language. `get_mcp_tool_details` has them all. */
export function countedValues(values: readonly unknown[]): string {
  return `"<${values.length} values>"`;
}

/** Returns all properties of an object shape, including its `allOf` and `$ref`. The first definition of a property wins. */
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

/** Returns properties in the order of the schema, required ones first. */
export function inOrder(properties: ReadonlyMap<string, Shape>, required?: ReadonlySet<string>): [string, Shape][] {
  const all = [...properties];
  return [...all.filter(([name]) => required?.has(name)), ...all.filter(([name]) => !required?.has(name))];
}

function write(shape: Shape, options: TypeOptions, place: Place): string {
  const { syntax } = options;
  if (shape.never) return syntax.nothing;
  if (--place.budget.left < 0) return syntax.anything;
  if (shape.values) {
    return shape.values.length > options.maxValues ? syntax.manyValues(shape.values) : syntax.literals(shape.values);
  }
  const whole = syntax.intersection ? undefined : joined(shape);
  const parts = (whole ? own(whole, options, place) : partsOf(shape, options, place)).filter(
    (part) => part !== syntax.anything,
  );
  const distinct = [...new Set(parts)];
  if (distinct.length > 1 && syntax.intersection) return syntax.intersection(distinct);
  // Without intersections, the shape's own keywords are more precise than its branches.
  return distinct.at(-1) ?? syntax.anything;
}

function partsOf(shape: Shape, options: TypeOptions, place: Place): string[] {
  const branches = [shape.anyOf, shape.oneOf].filter((shapes) => shapes !== undefined);
  return [
    ...(shape.ref ? [reference(shape.ref, options, place)] : []),
    ...branches.map((shapes) =>
      union(
        shapes.map((branch) => write(branch, options, place)),
        options,
      ),
    ),
    ...(shape.allOf ?? []).map((branch) => write(branch, options, place)),
    ...own(shape, options, place),
  ];
}

/** Returns the object that several parts of a shape describe together; undefined when there is only one part. */
function joined(shape: Shape): Shape | undefined {
  const parts = [shape.ref, shape.properties, shape.anyOf, shape.oneOf, ...(shape.allOf ?? [])];
  if (parts.filter((part) => part !== undefined).length < 2) return undefined;
  const { properties, required, extra } = objectView(shape);
  if (properties.size === 0) return undefined;
  return { types: shape.types ?? ['object'], properties, required, extra };
}

/** Writes the shape's own `type`, `properties` and `items`. */
function own(shape: Shape, options: TypeOptions, place: Place): string[] {
  const describesObject = shape.properties !== undefined || shape.extra !== undefined || shape.patterned !== undefined;
  const describesArray = shape.items !== undefined || shape.prefix !== undefined;
  const branching = shape.anyOf ?? shape.oneOf ?? shape.ref;
  let types = shape.types;
  if (!types && describesObject) types = ['object'];
  if (!types && describesArray) types = ['array'];
  if (!types) return [];
  // In `{type: object, anyOf: […]}` the branches are more precise than a bare "object".
  if (branching && types.length === 1 && !describesObject && !describesArray) {
    if (types[0] === 'object' || types[0] === 'array') return [];
  }
  const written = types.map((type) => {
    if (type === 'object') return object(shape, options, place);
    return type === 'array' ? array(shape, options, place) : options.syntax.primitive(type);
  });
  const { digits } = options.syntax;
  if (digits !== undefined && shape.format === LARGE_INTEGER) written.push(digits);
  return [union(written, options)];
}

function reference(definition: Definition, options: TypeOptions, place: Place): string {
  const name = options.named?.(definition);
  if (name !== undefined && place.nested) return name;
  if (place.open.has(definition)) return options.syntax.anything;
  return write(definition.shape, options, { ...place, open: new Set([...place.open, definition]) });
}

function object(shape: Shape, options: TypeOptions, place: Place): string {
  const { syntax } = options;
  const properties = shape.properties ?? new Map<string, Shape>();
  if (properties.size === 0) return dictionary(shape, options, place);
  if (place.depth >= options.depth) return syntax.dictionary(undefined);
  const members = inOrder(properties, shape.required)
    .slice(0, options.maxProperties)
    .map(([name, property]) => ({
      name,
      required: shape.required?.has(name) === true,
      type: write(property, options, { ...below(place, name), indent: `${place.indent}  ` }),
      shape: property,
    }));
  const hidden = properties.size > members.length;
  return syntax.object(members, hidden ? 'hidden' : shape.extra || shape.patterned ? 'allowed' : 'none', place);
}

function dictionary(shape: Shape, options: TypeOptions, place: Place): string {
  const { syntax } = options;
  if (shape.extra === false && !shape.patterned) return syntax.empty;
  if (!shape.extra || shape.patterned || place.depth >= options.depth) return syntax.dictionary(undefined);
  const value = write(shape.extra, options, below(place, 'value'));
  return syntax.dictionary(value === syntax.anything ? undefined : value);
}

function array(shape: Shape, options: TypeOptions, place: Place): string {
  const { syntax } = options;
  if (place.depth >= options.depth) return syntax.bareArray;
  const inner = below(place, 'item');
  const rest = shape.items ? write(shape.items, options, inner) : syntax.anything;
  if (!shape.prefix || shape.prefix.length === 0) return syntax.array([], rest);
  const first = shape.prefix.slice(0, options.maxProperties).map((element) => write(element, options, inner));
  return syntax.array(first, shape.items === false && first.length === shape.prefix.length ? undefined : rest);
}

function below(place: Place, word: string): Place {
  return { ...place, depth: place.depth + 1, path: [...place.path, word], nested: true };
}

function union(members: readonly string[], { syntax }: TypeOptions): string {
  return members.includes(syntax.anything) ? syntax.anything : syntax.union([...new Set(members)]);
}
