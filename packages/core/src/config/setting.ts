import type * as z from 'zod';

/** What the reference and the environment know of a setting. */
export interface SettingMeta {
  /** What it does, in one sentence, for the table of `docs/configuration.md`. */
  readonly description: string;
  /** Its name in the environment, which wins over the file. */
  readonly env?: string;
  /** What one unit in the environment stands for, as 1,048,576 for MiB; default 1. */
  readonly envUnit?: number;
  /** The default in words, where the schema has none. */
  readonly defaultText?: string;
}

/** A setting that stands by itself: one row of the reference. */
export interface Setting extends SettingMeta {
  /** Its place in the file: `docker.image`. */
  readonly path: string;
  readonly schema: z.ZodType;
}

/** Names a setting for the reference and the environment. Call it last: later calls on the schema would drop it. */
export function setting<T extends z.ZodType>(schema: T, meta: SettingMeta): T {
  return schema.meta({ ...meta }) as T;
}

/** Returns all named settings of a schema, in its order. */
export function settingsOf(schema: z.ZodType, base = ''): Setting[] {
  const meta = metaOf(schema);
  if (meta?.description !== undefined) return [{ ...meta, path: base, schema }];
  const { shape } = innermost(schema) as { shape?: Readonly<Record<string, z.ZodType>> };
  if (shape === undefined) return [];
  return Object.entries(shape).flatMap(([key, inner]) => settingsOf(inner, base === '' ? key : `${base}.${key}`));
}

/** A schema that was made optional later keeps its meta inside. */
function metaOf(schema: z.ZodType): SettingMeta | undefined {
  const inner = innerOf(schema);
  return (schema.meta() as SettingMeta | undefined) ?? (inner && metaOf(inner));
}

/** Returns what is in defaults, optional values and transforms. */
export function innermost(schema: z.ZodType): z.ZodType {
  const inner = innerOf(schema);
  return inner === undefined ? schema : innermost(inner);
}

function innerOf(schema: z.ZodType): z.ZodType | undefined {
  const { innerType, in: input } = schema.def as { innerType?: z.ZodType; in?: z.ZodType };
  return innerType ?? input;
}

/** Returns the default of a setting, or undefined where it has none. */
export function defaultOf(schema: z.ZodType): unknown {
  const { defaultValue, innerType } = schema.def as { defaultValue?: unknown; innerType?: z.ZodType };
  if (defaultValue !== undefined) return defaultValue;
  return innerType === undefined ? undefined : defaultOf(innerType);
}
