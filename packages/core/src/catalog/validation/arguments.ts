import type { Tool } from '@toolwright/connectors';
import { invalidArguments, type Problem } from '@toolwright/connectors/internal';
import { readInputSchema } from '../schema/read-schema.ts';
import type { Shape } from '../schema/shape.ts';
import { objectView } from '../signatures/types.ts';
import { TYPESCRIPT_WRITER } from '../signatures/typescript/writer.ts';
import type { ToolWriter } from '../signatures/writer.ts';
import { expectedText } from './formats.ts';
import { findProblems, fits } from './problems.ts';

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
