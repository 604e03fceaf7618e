/** The types of JSON Schema. */
export type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';

/**
 * A normalised JSON Schema. Dialects, mistakes and references of the servers' schemas are resolved, and every field has the
 * declared type. Unsupported parts are omitted, so an empty shape allows any value.
 */
export interface Shape {
  /** The allowed types; absent when all types are allowed. */
  readonly types?: readonly TypeName[];
  /** Set when no value is allowed (the schema `false`). */
  readonly never?: true;
  /** The only allowed values (`enum` or `const`). */
  readonly values?: readonly unknown[];
  readonly properties?: ReadonlyMap<string, Shape>;
  readonly required?: ReadonlySet<string>;
  /** The shape of other properties; `false` when they are forbidden, absent when the schema does not define it. */
  readonly extra?: Shape | false;
  /** The schema has keywords that may allow more properties than the shape has: `if`, `dependentSchemas`, … */
  readonly allowsMore?: true;
  /** The shapes of properties whose names match a pattern. The patterns are dropped: see `validateArguments`. */
  readonly patterned?: readonly Shape[];
  /** The first elements of an array, by position. */
  readonly prefix?: readonly Shape[];
  /** All other elements of an array; `false` when they are forbidden. */
  readonly items?: Shape | false;
  readonly allOf?: readonly Shape[];
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  /** A reference to a named shape. Cycles of shapes always contain one. */
  readonly ref?: Definition;
  readonly bounds?: ReadonlyMap<Bound, number>;
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  /** `[value]` when the schema has a default. */
  readonly fallback?: readonly [unknown];
}

/** The target of a `$ref`. */
export interface Definition {
  /** The last meaningful part of its pointer; not unique. */
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
