import type { ToolAnnotations } from '@modelcontextprotocol/server';

/** A JSON Schema of an object, as it goes over the wire. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly object[];
}

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

/** Shorthand of the schemas below: what is said of a parameter is read by a model, at every turn. */
export const text = (description?: string): object => ({ type: 'string', ...(description ? { description } : {}) });

/** The languages of programs. */
export const LANGUAGE: object = { type: 'string', enum: ['typescript', 'python'] };
