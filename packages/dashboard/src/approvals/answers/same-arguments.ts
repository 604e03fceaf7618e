/** The arguments of a call that further calls may have to share. */
export interface SameArguments {
  readonly names: readonly string[];
  /** Those with placeholders: their real values are not known here. */
  readonly hidden: ReadonlySet<string>;
}

const PLACEHOLDER = /\[[A-Z][A-Z0-9_]{1,23}_\d{1,9}\]/;

/** Returns the arguments of a call that a condition can name. */
export function sameArguments(args: unknown): SameArguments {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return { names: [], hidden: new Set() };
  const entries = Object.entries(args);
  return {
    names: entries.map(([name]) => name),
    hidden: new Set(entries.filter(([, value]) => PLACEHOLDER.test(JSON.stringify(value))).map(([name]) => name)),
  };
}

/** Returns a JSON Schema of calls whose arguments of these names have the values of this call. */
export function schemaOf(args: unknown, names: readonly string[]): object {
  const values = Object(args) as Record<string, unknown>;
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { const: values[name] }])),
    required: names,
  };
}
