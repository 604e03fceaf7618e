import type { JsonSchema } from '../tools/tool.ts';
import { type Field, type GraphqlSchema, type InputValue, innerName, type NamedType, type TypeRef } from './schema.ts';
import type { SelectedField } from './selection.ts';

type Schema = Readonly<Record<string, unknown>>;

const SCALARS: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ['Int', { type: 'integer' }],
  ['Float', { type: 'number' }],
  ['String', { type: 'string' }],
  ['Boolean', { type: 'boolean' }],
  ['ID', { type: ['string', 'integer'] }],
]);

/** Returns the schema of a field's arguments. `select` is the name of the argument with the selection, if there is one. */
export function inputSchema(
  schema: GraphqlSchema,
  field: Field,
  select: string | undefined,
  selection: string,
): JsonSchema {
  const $defs = new Map<string, Schema>();
  const properties = members(field.args, schema, $defs, false);
  if (select !== undefined) {
    const description = `The fields to return, as GraphQL: "id owner { name }". Default: "${selection}"`;
    properties.push([select, { type: 'string', description }]);
  }
  const required = field.args.filter(isRequired).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: required.length === 0 ? undefined : required,
    additionalProperties: false,
    $defs: $defs.size === 0 ? undefined : Object.fromEntries($defs),
  };
}

function members(
  values: readonly InputValue[],
  schema: GraphqlSchema,
  $defs: Map<string, Schema>,
  allowNull: boolean,
): [string, Schema][] {
  return values.map((value) => {
    const own = inputType(value.type, schema, $defs);
    const described = value.description ? { ...own, description: value.description } : own;
    // `null` removes the value of a field; an argument is left out instead.
    return [
      value.name,
      allowNull && value.type.kind !== 'NON_NULL' ? { anyOf: [described, { type: 'null' }] } : described,
    ];
  });
}

function isRequired({ type, defaultValue }: InputValue): boolean {
  return type.kind === 'NON_NULL' && (defaultValue === undefined || defaultValue === null);
}

function inputType(type: TypeRef, schema: GraphqlSchema, $defs: Map<string, Schema>): Schema {
  if (type.kind === 'NON_NULL' && type.ofType) return inputType(type.ofType, schema, $defs);
  if (type.kind === 'LIST' && type.ofType) return { type: 'array', items: inputType(type.ofType, schema, $defs) };
  const name = type.name ?? '';
  const scalar = SCALARS.get(name);
  const named = schema.types.get(name);
  if (scalar !== undefined) return scalar;
  if (named === undefined || named.kind === 'SCALAR') return { description: `${name}` };
  if (!$defs.has(name)) {
    $defs.set(name, {});
    $defs.set(name, definition(named, schema, $defs));
  }
  return { $ref: `#/$defs/${name}` };
}

function definition({ enumValues, inputFields }: NamedType, schema: GraphqlSchema, $defs: Map<string, Schema>): Schema {
  if (enumValues) return { enum: enumValues.map(({ name }) => name) };
  const fields = inputFields ?? [];
  const required = fields.filter(isRequired).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(members(fields, schema, $defs, true)),
    required: required.length === 0 ? undefined : required,
  };
}

/** Returns the schema of the default selection. Other selections have other members, which the schema allows. */
export function outputSchema(
  schema: GraphqlSchema,
  type: TypeRef,
  selected: readonly SelectedField[] | undefined,
): Schema {
  return outputType(type, schema, selected);
}

function outputType(type: TypeRef, schema: GraphqlSchema, selected: readonly SelectedField[] | undefined): Schema {
  if (type.kind !== 'NON_NULL') return { anyOf: [presentType(type, schema, selected), { type: 'null' }] };
  return type.ofType ? presentType(type.ofType, schema, selected) : {};
}

function presentType(type: TypeRef, schema: GraphqlSchema, selected: readonly SelectedField[] | undefined): Schema {
  if (type.kind === 'LIST' && type.ofType) return { type: 'array', items: outputType(type.ofType, schema, selected) };
  const name = innerName(type);
  if (selected !== undefined) {
    const properties = selected.map((field) => [field.name, outputType(field.type, schema, field.selected)]);
    return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: true };
  }
  const values = schema.types.get(name)?.enumValues;
  if (name === 'ID') return { type: 'string' };
  return SCALARS.get(name) ?? (values ? { enum: values.map((value) => value.name) } : {});
}
