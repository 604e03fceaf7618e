import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { ObjectSchema } from '../agent/definitions.ts';

/** What a client is told about one of our tools. */
export interface Definition {
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: ToolAnnotations;
}

/** What went wrong, in the structured content of a failed call. */
const ERROR = {
  type: 'object',
  properties: { code: { type: 'string' }, message: { type: 'string' } },
  required: ['code', 'message'],
};

/** The schema of an answer that has these properties, or an error. */
export function answerSchema(properties: Readonly<Record<string, object>>, required: readonly string[]): ObjectSchema {
  return {
    type: 'object',
    properties: { ...properties, error: ERROR },
    anyOf: [{ required }, { required: ['error'] }],
  };
}
