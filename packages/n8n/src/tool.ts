import { type InlineTool, type InlineToolContext, ToolwrightError } from '@toolwright/core';
import { suggest } from '@toolwright/core/internal';
import { isObject, type JsonObject } from './json.ts';

/** JSON Schema of one value. */
export type ValueSchema = { readonly [keyword: string]: unknown };

/** One function of the n8n servers. */
export interface ToolSpec {
  readonly description: string;
  /** What it takes, in order. */
  readonly takes: Readonly<Record<string, ValueSchema>>;
  /** Names of `takes` that must be given. */
  readonly required?: readonly string[];
  /** What the last argument may hold; each may also stand beside the others. */
  readonly options?: Readonly<Record<string, ValueSchema>>;
  readonly gives: ValueSchema;
  readonly effect?: 'write' | 'delete';
  /** The argument that a whole workflow may stand for: `validateWorkflow(workflow)` passes it as the arguments. */
  readonly subject?: string;
  run(args: JsonObject, context: InlineToolContext): unknown;
}

/**
 * Makes a tool of a function. Its arguments may come by position, as one object with `options` in it, or flat; what is
 * unknown raises `INVALID_ARGUMENTS` with the names that are near.
 */
export function makeTool(name: string, spec: ToolSpec): InlineTool {
  const { description, takes, required = [], options, gives, effect, run } = spec;
  const bag = options && { options: { type: 'object', properties: options } };
  return {
    description,
    inputSchema: { type: 'object', properties: { ...takes, ...bag }, required, additionalProperties: true },
    outputSchema: gives,
    annotations: { readOnlyHint: effect === undefined, destructiveHint: effect === 'delete' },
    run: (args, context) => run(readArguments(name, spec, args), context),
  };
}

function readArguments(
  tool: string,
  { takes, required = [], options = {}, subject }: ToolSpec,
  given: JsonObject,
): JsonObject {
  const isSubject = subject !== undefined && given[subject] === undefined && ('nodes' in given || 'workflow' in given);
  if (isSubject) return { [subject]: given };
  const { options: bag, ...flat } = given;
  const args: Record<string, unknown> = { ...flat, ...optionsOf(tool, bag) };
  const known = [...Object.keys(takes), ...Object.keys(options)];
  for (const key of Object.keys(args)) {
    if (args[key] === undefined || args[key] === null) delete args[key];
    else if (!known.includes(key)) throw unknownArgument(tool, key, known);
  }
  const missing = [...required, ...(subject === undefined ? [] : [subject])].find((key) => args[key] === undefined);
  if (missing === undefined) return args;
  throw new ToolwrightError('INVALID_ARGUMENTS', `${tool} needs ${missing}. It takes: ${known.join(', ')}.`);
}

function optionsOf(tool: string, bag: unknown): JsonObject {
  if (bag === undefined || bag === null) return {};
  const value = typeof bag === 'string' ? parseJson(bag, `options of ${tool}`) : bag;
  if (isObject(value)) return value;
  throw new ToolwrightError('INVALID_ARGUMENTS', `The options of ${tool} are an object, such as {limit: 5}.`);
}

function unknownArgument(tool: string, key: string, known: readonly string[]): ToolwrightError {
  const near = suggest(key, known, 1);
  const hint = near.length > 0 ? ` Did you mean ${near[0]}?` : '';
  return new ToolwrightError('INVALID_ARGUMENTS', `${tool} takes no "${key}".${hint} It takes: ${known.join(', ')}.`);
}

/** Reads JSON text that stands where a value was expected. Raises `INVALID_ARGUMENTS`. */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const problem = error instanceof Error ? error.message.slice(0, 160) : String(error);
    throw new ToolwrightError(
      'INVALID_ARGUMENTS',
      `The ${what} are text that is not JSON: ${problem}. Give the value itself.`,
    );
  }
}

/** A list as given, or of JSON text. Raises `INVALID_ARGUMENTS` for anything else. */
export function listArgument(value: unknown, what: string): unknown[] {
  const list = typeof value === 'string' ? parseJson(value, what) : value;
  if (Array.isArray(list)) return list;
  throw new ToolwrightError('INVALID_ARGUMENTS', `${what} is a list.`);
}

/** An object as given, or of JSON text. Raises `INVALID_ARGUMENTS` for anything else. */
export function objectArgument(value: unknown, what: string): Record<string, unknown> {
  const object = typeof value === 'string' ? parseJson(value, what) : value;
  if (isObject(object)) return object;
  throw new ToolwrightError('INVALID_ARGUMENTS', `${what} is an object.`);
}

/** A number as given or as text; the fallback when there is none. */
export function numberArgument(value: unknown, fallback: number, most: number = Number.MAX_SAFE_INTEGER): number {
  const number = value === undefined ? fallback : Number(value);
  if (Number.isFinite(number) && number >= 0) return Math.min(number, most);
  throw new ToolwrightError('INVALID_ARGUMENTS', `Expected a number of at least 0, got ${JSON.stringify(value)}.`);
}

/** Schemas that many tools share. */
export const STRING: ValueSchema = { type: 'string' };
export const NUMBER: ValueSchema = { type: 'number' };
export const BOOLEAN: ValueSchema = { type: 'boolean' };

export function listOf(items: ValueSchema): ValueSchema {
  return { type: 'array', items };
}

/** An object whose keys are all there, but for those whose name ends in `?`. */
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
