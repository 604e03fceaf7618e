import * as z from 'zod';
import { messageOf } from '../errors.ts';
import type { JsonSchema } from '../tools/tool.ts';

// The types of https://standardschema.dev, which libraries copy instead of a dependency.

/** A schema of any library that implements Standard Schema: zod, valibot, ArkType, … */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly '~standard': StandardProps<Input, Output>;
}

export interface StandardProps<Input = unknown, Output = Input> {
  readonly version: 1;
  /** The name of the library. */
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  /** The extension Standard JSON Schema. Not every library implements it. */
  readonly jsonSchema?: Readonly<Record<SchemaDirection, (options: { readonly target: 'draft-2020-12' }) => object>>;
}

/** `input` describes values before validation, `output` validated values with defaults and transformations. */
export type SchemaDirection = 'input' | 'output';

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type of values before validation; `unknown` when `Schema` is not a Standard Schema. */
export type InferInput<Schema> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly input: infer Input }
    ? Input
    : unknown
  : unknown;

/** The type of validated values; `unknown` when `Schema` is not a Standard Schema. */
export type InferOutput<Schema> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : unknown;

/** Returns whether a value implements Standard Schema. */
export function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  if (!isObject || !('~standard' in value)) return false;
  const { validate } = Object(value['~standard']);
  return typeof validate === 'function';
}

/**
 * Returns the JSON Schema of a Standard Schema. Returns the problem when the library cannot make one, or when the schema has
 * parts without a JSON Schema.
 */
export function jsonSchemaOf(
  schema: StandardSchemaV1,
  direction: SchemaDirection,
): { readonly schema: JsonSchema } | { readonly problem: string } {
  const { jsonSchema, vendor } = schema['~standard'];
  try {
    if (jsonSchema) return { schema: withoutDialect(jsonSchema[direction]({ target: 'draft-2020-12' })) };
    // Versions of zod 4 before 4.2 have no extension; zod 3 has no `_zod`.
    if (isZod4(schema)) return { schema: withoutDialect(z.toJSONSchema(schema, { io: direction })) };
    return { problem: `the library "${vendor}" does not convert it to JSON Schema` };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

function isZod4(schema: StandardSchemaV1): schema is StandardSchemaV1 & z.core.$ZodType {
  return schema['~standard'].vendor === 'zod' && '_zod' in schema;
}

/** The catalog shows schemas to models, for which `$schema` is a waste of tokens. */
function withoutDialect({ $schema: _dialect, ...schema }: { readonly $schema?: unknown }): JsonSchema {
  return schema;
}
