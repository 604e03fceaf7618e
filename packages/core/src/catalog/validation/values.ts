import type { Tool } from '@toolwright/connectors';
import { invalidArguments, listProblems, type Problem } from '@toolwright/connectors/internal';
import { readInputSchema, readSchema } from '../schema/read-schema.ts';
import type { Shape, TypeName } from '../schema/shape.ts';
import { objectView } from '../signatures/types.ts';
import { TYPESCRIPT_WRITER } from '../signatures/typescript/writer.ts';
import type { ToolWriter } from '../signatures/writer.ts';
import { expectedText } from './formats.ts';
import { findProblems } from './problems.ts';

/** Matches an enumeration that is only counted. */
export const COUNTED_VALUES: RegExp = /<\d+ values>/;

const shapes = new WeakMap<Tool, Shape>();

/**
 * Validates the arguments of a call against the tool's input schema. Returns undefined for valid arguments, else one message
 * with every problem and the signature. A name that the schema does not have is a problem, as in the check before a run, unless the schema
 * allows others. Keywords that cannot be checked safely are ignored: the server validates them.
 *
 * The schema is interpreted, never compiled: servers are not trusted, and schema compilers require trusted schemas. For the
 * same reason `pattern` is ignored: one regular expression can block the process. `written` maps texts and keys of the
 * arguments to their form in the message, for example restored personal data to placeholders.
 */
export function validateArguments(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  words: ToolWriter = TYPESCRIPT_WRITER,
  written?: ReadonlyMap<string, string>,
): string | undefined {
  const shape = shapeOf(tool);
  if (fits(shape, args)) return undefined;
  const problems = findProblems(shape, args, words.types, { written, isClosed: true });
  if (!problems || problems.length === 0) return undefined;
  const message = `${invalidArguments(problems)}\nUse ${words.signature(tool)}`;
  return COUNTED_VALUES.test(message) ? `${message}\n${valuesNote(tool)}` : message;
}

/** Returns the problems of arguments that the source of a program shows, so none has a restored value. */
export function argumentProblems(tool: Tool, args: Readonly<Record<string, unknown>>): readonly Problem[] {
  return findProblems(shapeOf(tool), args, TYPESCRIPT_WRITER.types, { isClosed: true }) ?? [];
}

/** Returns the expected text of an argument with a format: `a date such as "2026-01-31"`; undefined for any other. */
export function expectedFormat(tool: Tool, name: string): string | undefined {
  return expectedText(objectView(shapeOf(tool)).properties.get(name)?.format);
}

function shapeOf(tool: Tool): Shape {
  const shape = shapes.get(tool) ?? readInputSchema(tool.definition.inputSchema);
  shapes.set(tool, shape);
  return shape;
}

/** Returns the call that lists all values of an enumeration, for a message that only counts them. */
export function valuesNote({ id }: Tool): string {
  return `get_mcp_tool_details(${JSON.stringify(id)}) lists the values.`;
}

/** The most elements of a list in {@link fits}. */
const MAX_ELEMENTS = 1_000;

/**
 * Checks quickly whether a value has no problem under a shape of types, properties and elements. Returns false where only
 * {@link findProblems} can decide, also for a property that a shape with others does not name.
 */
export function fits(shape: Shape, value: unknown): boolean {
  const { types, values, bounds, format, never, ref, allOf, anyOf, oneOf, prefix } = shape;
  if (values ?? bounds ?? format ?? never ?? ref ?? allOf ?? anyOf ?? oneOf ?? prefix) return false;
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  const isInteger = type === 'bigint' || Number.isSafeInteger(value);
  const isNumber = type === 'number' || type === 'bigint';
  if (
    types &&
    !(types.includes(isNumber ? 'number' : (type as TypeName)) || (isInteger && types.includes('integer')))
  ) {
    return false;
  }
  if (type === 'array') {
    const { items } = shape;
    const list = value as readonly unknown[];
    if (list.length > MAX_ELEMENTS || items === false) return false;
    return items === undefined || list.every((item) => fits(items, item));
  }
  if (type !== 'object') return true;
  const { properties, extra, required = [] } = shape;
  const isOpen = !properties?.size && extra === undefined;
  for (const [name, held] of Object.entries(value as object)) {
    const property = properties?.get(name);
    if (held === undefined || !(property ? fits(property, held) : isOpen)) return false;
  }
  for (const name of required) if (!Object.hasOwn(value as object, name)) return false;
  return true;
}

const resultShapes = new WeakMap<Tool, Shape>();

/**
 * Returns how a result breaks the declared output schema of its tool, without values of the result. Returns undefined for a
 * result that fits, for a tool without an output schema, and when the check would take too long.
 */
export function resultProblem(tool: Tool, result: unknown, { types }: ToolWriter): string | undefined {
  const { outputSchema } = tool.definition;
  if (outputSchema === undefined) return undefined;
  const shape = resultShapes.get(tool) ?? readSchema(outputSchema);
  resultShapes.set(tool, shape);
  if (fits(shape, result)) return undefined;
  const problems = findProblems(shape, result, types, { hidesValues: true });
  return problems === undefined || problems.length === 0 ? undefined : listProblems(problems);
}
