import { readSchema } from '../schema/read-schema.ts';
import type { Shape } from '../schema/shape.ts';
import { TYPESCRIPT_WRITER } from '../signatures/typescript/writer.ts';
import type { ToolWriter } from '../signatures/writer.ts';
import { shorten } from '../text.ts';
import type { Tool } from '../tool.ts';
import { findProblems } from './problems.ts';

const MAX_LISTED = 6;
const PROBLEM_TOKENS = 40;

const shapes = new WeakMap<Tool, Shape>();

/**
 * Judges the arguments of a call by the tool's input schema. Returns undefined when they are fine, or else one message with
 * every problem and the right signature. Whatever a schema says that cannot be judged safely is let through: the upstream
 * has the last word.
 *
 * The schema is interpreted, never compiled: it comes from a stranger, and schema compilers ask to be given trusted schemas
 * only. `written` tells how texts are told that are not to be, whole or in part. For the same reason `pattern` is not judged: one regular expression can stop the whole process.
 */
export function validateArguments(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  words: Pick<ToolWriter, 'types' | 'signature'> = TYPESCRIPT_WRITER,
  written?: ReadonlyMap<string, string>,
): string | undefined {
  const shape = shapes.get(tool) ?? readSchema(tool.definition.inputSchema);
  shapes.set(tool, shape);
  const problems = findProblems(shape, args, words.types, written);
  if (!problems || problems.length === 0) return undefined;
  const listed = problems
    .slice(0, MAX_LISTED)
    .map(({ path, message }) => shorten(path === '' ? message : `${path}: ${message}`, PROBLEM_TOKENS));
  if (problems.length > MAX_LISTED) listed.push(`and ${problems.length - MAX_LISTED} more`);
  return `Invalid arguments: ${listed.join('; ')}.\nUse ${words.signature(tool)}`;
}
