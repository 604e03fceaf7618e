type Fields = Readonly<Record<string, unknown>>;

/** The fields under their current names, or the reason why a request is refused. */
export type RenamedFields<T> = { readonly fields: T } | { readonly problem: string };

/**
 * Renames a deprecated field of a request. Returns a problem when the request has both names with different values.
 */
export function renameField<T extends Fields>(fields: T, deprecated: string, name: string): RenamedFields<T> {
  if (!Object.hasOwn(fields, deprecated)) return { fields };
  const { [deprecated]: value, ...rest } = fields;
  if (!Object.hasOwn(fields, name)) return { fields: { ...rest, [name]: value } as unknown as T };
  if (JSON.stringify(fields[name]) === JSON.stringify(value)) return { fields: rest as T };
  return { problem: `"${name}" and "${deprecated}" differ. Send "${name}" alone: "${deprecated}" is deprecated.` };
}
