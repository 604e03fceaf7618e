import type { Tool } from '@toolwright/connectors';
import { listProblems } from '@toolwright/connectors/internal';
import { readSchema } from '../schema/read-schema.ts';
import type { Shape } from '../schema/shape.ts';
import type { ToolWriter } from '../signatures/writer.ts';
import { findProblems, fits } from './problems.ts';

const shapes = new WeakMap<Tool, Shape>();

/**
 * Returns how a result breaks the declared output schema of its tool, without values of the result. Returns undefined for a
 * result that fits, for a tool without an output schema, and when the check would take too long.
 */
export function resultProblem(tool: Tool, result: unknown, { types }: ToolWriter): string | undefined {
  const { outputSchema } = tool.definition;
  if (outputSchema === undefined) return undefined;
  const shape = shapes.get(tool) ?? readSchema(outputSchema);
  shapes.set(tool, shape);
  if (fits(shape, result)) return undefined;
  const problems = findProblems(shape, result, types, { hidesValues: true });
  return problems === undefined || problems.length === 0 ? undefined : listProblems(problems);
}
