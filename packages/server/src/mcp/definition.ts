import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { ObjectSchema } from '../agent/definitions.ts';

/** The definition of one tool of the MCP server. */
export interface Definition {
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: ToolAnnotations;
}

/** The schema of an error in the structured content of a failed call. */
const ERROR = {
  type: 'object',
  properties: { code: { type: 'string' }, message: { type: 'string' } },
  required: ['code', 'message'],
};

/** Returns the schema of an answer with these properties, or with an error. */
export function answerSchema(properties: Readonly<Record<string, object>>, required: readonly string[]): ObjectSchema {
  return {
    type: 'object',
    properties: { ...properties, error: ERROR },
    anyOf: [{ required }, { required: ['error'] }],
  };
}
