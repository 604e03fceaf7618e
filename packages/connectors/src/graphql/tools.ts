import type { ToolDefinition } from '../tools/tool.ts';
import type { GraphqlTool } from './document.ts';
import { inputSchema, outputSchema } from './json-schema.ts';
import { type Field, type GraphqlSchema, typeText } from './schema.ts';
import { defaultSelection, isObjectType, selectionText } from './selection.ts';

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
