import { ToolwrightError } from '../errors.ts';
import type { JsonSchema, ToolDefinition } from '../tools/tool.ts';
import { isStandardSchema, jsonSchemaOf, type SchemaDirection } from './standard-schema.ts';
import type { InlineTool } from './tool-types.ts';

const SCHEMA_OPTIONS = {
  input: { option: 'inputSchema', values: 'arguments' },
  output: { option: 'outputSchema', values: 'result' },
} as const;

/** Checks inline tools and returns their definitions by name. Raises `CONFIG_INVALID` with the tool and the fix. */
export function inlineDefinitions(
  server: string,
  tools: Readonly<Record<string, InlineTool>>,
): Map<string, ToolDefinition> {
  return new Map(Object.entries(tools).map(([name, tool]) => [name, definition(server, name, tool)]));
}

function definition(server: string, name: string, tool: InlineTool): ToolDefinition {
  if (typeof Object(tool).run !== 'function') {
    throw invalid(`The tool ${name} of ${server} has no function "run".`);
  }
  const { title, description, annotations, isLocal } = tool;
  const inputSchema = schemaOf(server, name, tool, 'input') ?? { type: 'object' };
  const { type } = Object(inputSchema);
  if (tool.input !== undefined && type !== undefined && type !== 'object') {
    throw invalid(
      `The input schema of ${server}.${name} has the type ${type}. The arguments of a tool must be an object.`,
    );
  }
  const outputSchema = schemaOf(server, name, tool, 'output');
  return {
    name,
    inputSchema,
    title,
    description,
    outputSchema,
    annotations,
    isLocal: isLocal || undefined,
  };
}

function schemaOf(server: string, name: string, tool: InlineTool, direction: SchemaDirection): JsonSchema | undefined {
  const { option, values } = SCHEMA_OPTIONS[direction];
  const schema: unknown = tool[direction];
  if (schema === undefined) return tool[option];
  if (!isStandardSchema(schema)) {
    throw invalid(
      `The option ${direction} of ${server}.${name} is not a Standard Schema. Pass a JSON Schema as ${option} instead.`,
    );
  }
  if (tool[option] !== undefined) return tool[option];
  const made = jsonSchemaOf(schema, direction);
  if ('schema' in made) return made.schema;
  throw invalid(
    `The ${direction} schema of ${server}.${name} has no JSON Schema: ${made.problem}. Pass the JSON Schema of the ${values} as ${option} too.`,
  );
}

function invalid(message: string): ToolwrightError {
  return new ToolwrightError('CONFIG_INVALID', message);
}
