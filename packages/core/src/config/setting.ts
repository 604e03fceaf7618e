import type * as z from 'zod';

/** The longest timer of Node, in milliseconds: a longer one fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** The documentation and the environment variable of a setting. */
export interface SettingMeta {
  /** The effect in one sentence, for the table of `docs/configuration.md`. */
  readonly description: string;
  /** The environment variable, which overrides the file. */
  readonly env?: string;
  /** The unit of the environment variable: 1,048,576 for MiB. Default: 1. */
  readonly envUnit?: number;
  /** The default in words, for a setting without a default in the schema. */
  readonly defaultText?: string;
}

/** One documented setting: one row of the reference. */
export interface Setting extends SettingMeta {
  /** Its path in the file: `docker.image`. */
  readonly path: string;
  readonly schema: z.ZodType;
}

/**
 * Adds documentation and the environment variable to a schema. Call it last: later calls on the schema would drop them.
 */
export function setting<T extends z.ZodType>(schema: T, meta: SettingMeta): T {
  return schema.meta({ ...meta }) as T;
}

/** Returns all documented settings of a schema, in its order. */
export function settingsOf(schema: z.ZodType, base = ''): Setting[] {
  const meta = metaOf(schema);
  if (meta?.description !== undefined) return [{ ...meta, path: base, schema }];
  const { shape } = innermost(schema) as { shape?: Readonly<Record<string, z.ZodType>> };
  if (shape === undefined) return [];
  return Object.entries(shape).flatMap(([key, inner]) => settingsOf(inner, base === '' ? key : `${base}.${key}`));
}

/** Returns the metadata of a schema. A schema that was made optional later keeps them inside. */
function metaOf(schema: z.ZodType): SettingMeta | undefined {
  const inner = innerOf(schema);
  return (schema.meta() as SettingMeta | undefined) ?? (inner && metaOf(inner));
}

/** Returns the schema inside defaults, optional values and transforms. */
export function innermost(schema: z.ZodType): z.ZodType {
  const inner = innerOf(schema);
  return inner === undefined ? schema : innermost(inner);
}

function innerOf(schema: z.ZodType): z.ZodType | undefined {
  const { innerType, in: input } = schema.def as { innerType?: z.ZodType; in?: z.ZodType };
  return innerType ?? input;
}

/** Returns the default of a setting; undefined without one. */
export function defaultOf(schema: z.ZodType): unknown {
  const { defaultValue, innerType } = schema.def as { defaultValue?: unknown; innerType?: z.ZodType };
  if (defaultValue !== undefined) return defaultValue;
  return innerType === undefined ? undefined : defaultOf(innerType);
}
