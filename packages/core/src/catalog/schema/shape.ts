export type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';

/**
 * A JSON Schema made sense of: the dialects, mistakes and references of what upstreams send are resolved, and every field
 * has the type it claims. What could not be understood is left out, so an empty shape allows anything.
 */
export interface Shape {
  /** Allowed types; absent when any is. */
  readonly types?: readonly TypeName[];
  /** Nothing is allowed (a schema of `false`). */
  readonly never?: true;
  /** The only allowed values (`enum` or `const`). */
  readonly values?: readonly unknown[];
  readonly properties?: ReadonlyMap<string, Shape>;
  readonly required?: ReadonlySet<string>;
  /** What properties that are not listed may hold; `false` when there may be none, absent when nothing is said. */
  readonly extra?: Shape | false;
  /** The schema has keywords that may allow more properties than the shape has: `if`, `dependentSchemas`, … */
  readonly allowsMore?: true;
  /** What properties whose names match some pattern may hold. The patterns are not kept: see `validation.ts`. */
  readonly patterned?: readonly Shape[];
  /** The elements at the start of an array, by position. */
  readonly prefix?: readonly Shape[];
  /** All other elements of an array; `false` when there may be none. */
  readonly items?: Shape | false;
  readonly allOf?: readonly Shape[];
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  /** A named shape that stands elsewhere; the only way in which shapes form cycles. */
  readonly ref?: Definition;
  readonly bounds?: ReadonlyMap<Bound, number>;
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  /** `[value]` when there is a default. */
  readonly fallback?: readonly [unknown];
}

/** The target of a `$ref`. */
export interface Definition {
  /** The last telling part of its pointer; not unique. */
  readonly name: string;
  readonly shape: Shape;
}

/** The JSON Schema keywords that limit a number, a length or a count. */
export const BOUNDS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
] as const;

/** One of {@link BOUNDS}. */
export type Bound = (typeof BOUNDS)[number];
