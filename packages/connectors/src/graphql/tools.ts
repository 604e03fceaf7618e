import type { JsonSchema, ToolDefinition } from '../tools/tool.ts';
import type { GraphqlTool } from './document.ts';
import {
  type Field,
  type GraphqlSchema,
  type InputValue,
  innerName,
  type NamedType,
  type TypeRef,
  typeText,
} from './schema.ts';
import { defaultSelection, isObjectType, type SelectedField, selectionText } from './selection.ts';

type Schema = Readonly<Record<string, unknown>>;

const SCALARS: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ['Int', { type: 'integer' }],
  ['Float', { type: 'number' }],
  ['String', { type: 'string' }],
  ['Boolean', { type: 'boolean' }],
  ['ID', { type: ['string', 'integer'] }],
]);

/** Returns the tools of a schema: the fields of its queries and mutations. A name in both gets `_mutation` for the latter. */
export function graphqlTools({ queries, mutations, ...rest }: GraphqlSchema): GraphqlTool[] {
  const schema = { queries, mutations, ...rest };
  const names = new Set(queries.map(({ name }) => name));
  const toolOf =
    (kind: GraphqlTool['kind']) =>
    (field: Field): GraphqlTool => {
      const { name, args, type } = field;
      const select = args.some((argument) => argument.name === 'select') ? 'selection' : 'select';
      return {
        name: kind === 'mutation' && names.has(name) ? `${name}_mutation` : name,
        kind,
        field,
        select: isObjectType(schema, type) ? select : undefined,
        selection: selectionText(defaultSelection(schema, type) ?? []),
      };
    };
  return [...queries.map(toolOf('query')), ...mutations.map(toolOf('mutation'))];
}

/** Returns the definition of a tool. Its schemas are built each time they are read: together they are large. */
export function graphqlDefinition(
  schema: GraphqlSchema,
  { name, kind, field, select, selection }: GraphqlTool,
): ToolDefinition {
  const type = typeText(field.type);
  const description = [field.description?.trim() ?? '', `Returns ${type}.`].filter((part) => part !== '').join('\n\n');
  return {
    name,
    description: select === undefined && field.description ? field.description : description,
    annotations: { readOnlyHint: kind === 'query', openWorldHint: true },
    get inputSchema() {
      return inputSchema(schema, field, select, selection);
    },
    get outputSchema() {
      return outputSchema(schema, field.type, defaultSelection(schema, field.type));
    },
  };
}

/** Returns the schema of a field's arguments. `select` is the name of the argument with the selection, if there is one. */
function inputSchema(schema: GraphqlSchema, field: Field, select: string | undefined, selection: string): JsonSchema {
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
function outputSchema(schema: GraphqlSchema, type: TypeRef, selected: readonly SelectedField[] | undefined): Schema {
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
