import type { InlineTool, InlineToolContext } from '@toolwright/core';
import { ToolwrightError } from '@toolwright/core/errors';
import { suggest } from '@toolwright/core/suggest';
import { isObject, type JsonObject } from './json.ts';

/** JSON Schema of one value. */
export type ValueSchema = { readonly [keyword: string]: unknown };

/** One tool of the n8n servers. */
export interface ToolSpec {
  readonly description: string;
  /** The parameters, in positional order. */
  readonly parameters: Readonly<Record<string, ValueSchema>>;
  /** Names of required `parameters`. */
  readonly required?: readonly string[];
  /** Optional parameters, accepted in an `options` object or at the top level. */
  readonly options?: Readonly<Record<string, ValueSchema>>;
  readonly returns: ValueSchema;
  readonly effect?: 'write' | 'delete';
  /** The tool needs no network and no file but the catalog, and returns only data of its arguments. */
  readonly isLocal?: boolean;
  /** The parameter that receives the whole argument object when that is a workflow: `validateWorkflow(workflow)`. */
  readonly subject?: string;
  run(args: JsonObject, context: InlineToolContext): unknown;
}

/**
 * Creates a tool. It accepts options in an `options` object or at the top level. An unknown argument raises
 * `INVALID_ARGUMENTS` with similar names.
 */
export function makeTool(name: string, spec: ToolSpec): InlineTool {
  const { description, parameters, required = [], options, returns, effect, isLocal = false, run } = spec;
  const bag = options && { options: { type: 'object', properties: options } };
  return {
    description,
    inputSchema: { type: 'object', properties: { ...parameters, ...bag }, required, additionalProperties: true },
    outputSchema: returns,
    isLocal,
    annotations: { readOnlyHint: effect === undefined, destructiveHint: effect === 'delete' },
    run: (args, context) => run(readArguments(name, spec, args), context),
  };
}

function readArguments(
  tool: string,
  { parameters, required = [], options = {}, subject }: ToolSpec,
  given: JsonObject,
): JsonObject {
  const isSubject = subject !== undefined && given[subject] === undefined && ('nodes' in given || 'workflow' in given);
  if (isSubject) return { [subject]: given };
  const { options: bag, ...flat } = given;
  // A policy reads the arguments at the top level: an option must not replace them.
  const args: Record<string, unknown> = { ...optionsOf(tool, bag), ...flat };
  const known = [...Object.keys(parameters), ...Object.keys(options)];
  for (const key of Object.keys(args)) {
    if (args[key] === undefined || args[key] === null) delete args[key];
    else if (!known.includes(key)) throw unknownArgument(tool, key, known);
  }
  const missing = [...required, ...(subject === undefined ? [] : [subject])].find((key) => args[key] === undefined);
  if (missing === undefined) return args;
  throw invalid(`${tool} needs the argument ${missing}. Its arguments are: ${known.join(', ')}.`);
}

function optionsOf(tool: string, bag: unknown): JsonObject {
  if (bag === undefined || bag === null) return {};
  const value = typeof bag === 'string' ? parseJson(bag, `options of ${tool}`) : bag;
  if (isObject(value)) return value;
  throw invalid(`The options of ${tool} must be an object, such as {limit: 5}.`);
}

function unknownArgument(tool: string, key: string, known: readonly string[]): ToolwrightError {
  const near = suggest(key, known, 1);
  const hint = near.length > 0 ? ` Did you mean ${near[0]}?` : '';
  return invalid(`${tool} has no argument "${key}".${hint} Its arguments are: ${known.join(', ')}.`);
}

/** Returns the error for an argument that a tool cannot use. */
export function invalid(message: string): ToolwrightError {
  return new ToolwrightError('INVALID_ARGUMENTS', message);
}

/** Parses JSON text given instead of a value. Raises `INVALID_ARGUMENTS`. */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const problem = error instanceof Error ? error.message.slice(0, 160) : String(error);
    throw invalid(`The ${what} are text that is not JSON: ${problem}. Pass the value itself.`);
  }
}

/** Returns a list, or parses it from JSON text. Raises `INVALID_ARGUMENTS` for anything else. */
export function listArgument(value: unknown, what: string): unknown[] {
  const list = typeof value === 'string' ? parseJson(value, what) : value;
  if (Array.isArray(list)) return list;
  throw invalid(`${what} must be a list.`);
}

/** Returns an object, or parses it from JSON text. Raises `INVALID_ARGUMENTS` for anything else. */
export function objectArgument(value: unknown, what: string): Record<string, unknown> {
  const object = typeof value === 'string' ? parseJson(value, what) : value;
  if (isObject(object)) return object;
  throw invalid(`${what} must be an object.`);
}

/** Returns an optional argument as text. */
export function optionalText(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}

/** Returns a number, or parses it from text; `fallback` when undefined. At most `most`. Raises `INVALID_ARGUMENTS`. */
export function numberArgument(value: unknown, fallback: number, most: number = Number.MAX_SAFE_INTEGER): number {
  const number = value === undefined ? fallback : Number(value);
  if (Number.isFinite(number) && number >= 0) return Math.min(number, most);
  throw invalid(`Expected a number of at least 0, got ${JSON.stringify(value)}.`);
}

/** Schemas that many tools share. */
export const STRING: ValueSchema = { type: 'string' };
export const NUMBER: ValueSchema = { type: 'number' };
export const BOOLEAN: ValueSchema = { type: 'boolean' };

export function listOf(items: ValueSchema): ValueSchema {
  return { type: 'array', items };
}

/** Returns the schema of an object. Keys are required, except those that end in `?`. */
export function shapeOf(properties: Readonly<Record<string, ValueSchema>>): ValueSchema {
  const names = Object.keys(properties);
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), properties[name]])),
    required: names.filter((name) => !name.endsWith('?')),
  };
}

export function choiceOf(...values: readonly string[]): ValueSchema {
  return { type: 'string', enum: values };
}
