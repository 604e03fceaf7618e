/** A field of a form for the arguments of a tool. */
export interface Field {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'choice' | 'json';
  readonly isRequired: boolean;
  readonly description?: string;
  readonly choices?: readonly string[];
  readonly initial: string;
  /** The field has all arguments: the schema names none. */
  readonly isWhole?: true;
}

const WHOLE: Field = { name: 'Arguments, as JSON', kind: 'json', isRequired: false, initial: '{}', isWhole: true };

interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly description?: unknown;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

/**
 * Returns the fields of the arguments of a tool: simple types as such, all others as JSON. A schema that names no arguments, but allows
 * some, has one field for all of them.
 */
export function fieldsOf(schema: unknown): Field[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, required = [], additionalProperties } = schema as Schema;
  if (Object.keys(properties).length === 0) return additionalProperties === false ? [] : [WHOLE];
  return Object.entries(properties).map(([name, property]) => {
    const kind = kindOf(property);
    const { description, enum: choices } = property;
    const initial = property.default;
    return {
      name,
      kind,
      isRequired: required.includes(name),
      description: typeof description === 'string' ? description : undefined,
      choices: kind === 'choice' ? (choices ?? []).map(String) : undefined,
      initial: initial === undefined ? '' : typeof initial === 'string' ? initial : JSON.stringify(initial),
    };
  });
}

function kindOf({ type, enum: choices }: Schema): Field['kind'] {
  if (choices?.every((choice) => typeof choice === 'string')) return 'choice';
  if (type === 'string') return 'text';
  if (type === 'number' || type === 'integer') return 'number';
  return type === 'boolean' ? 'boolean' : 'json';
}

/** Returns the arguments of filled fields. Empty fields are left out, unless they are required. Raises an error that names a field. */
export function argumentsOf(
  fields: readonly Field[],
  values: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const [whole] = fields.filter(({ isWhole }) => isWhole);
  if (whole) return { ...(readField(whole, values[whole.name] ?? whole.initial) as object) };
  const entries = fields.flatMap((field) => {
    const text = values[field.name] ?? field.initial;
    if (text === '' && !(field.isRequired && field.kind === 'text')) return [];
    return [[field.name, readField(field, text)] as const];
  });
  return Object.fromEntries(entries);
}

function readField({ name, kind }: Field, text: string): unknown {
  if (kind === 'text' || kind === 'choice') return text;
  if (kind === 'boolean') return text === 'true';
  if (kind === 'number') {
    const number = Number(text);
    if (Number.isFinite(number)) return number;
    throw new Error(`"${name}" must be a number.`);
  }
  return parseJson(name, text);
}

/** Parses the JSON in a field. Raises an error that names the field. */
export function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`"${name}" must be JSON, such as ["a"] or {"a": 1}.`);
  }
}
