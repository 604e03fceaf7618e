import type { ResolvedTool } from '../catalog/resolved-tool.ts';
import { resultProblem } from '../catalog/validation/result.ts';
import type { LimitedResult, ToolCallContext } from './call.ts';

/**
 * Warns the reader of the execution about a result that breaks the output schema of its tool. The program receives the result:
 * it may be right, and the schema wrong. The warning has no values, because the result is not redacted yet.
 */
export function warnAboutResult(
  { data }: Pick<LimitedResult, 'data'>,
  { tool, writer }: Pick<ResolvedTool, 'tool' | 'writer'>,
  { warn }: Pick<ToolCallContext, 'warn'>,
): void {
  const problem = resultProblem(tool, data, writer);
  if (problem !== undefined)
    warn(`The result of ${tool.id} breaks its output schema: ${problem}. It was passed on as it is.`);
}
