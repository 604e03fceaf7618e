import type { ResolvedTool } from '../catalog/resolved-tool.ts';
import { validateArguments } from '../catalog/validation/arguments.ts';
import { ToolwrightError } from '../errors.ts';
import type { RestoredArguments } from './call.ts';
import { UnredactedError } from './unredacted-error.ts';

/** Checks the restored arguments against the schema of the tool. Raises `INVALID_ARGUMENTS`, unredacted: it quotes arguments. */
export function validateCall(
  { args, written }: RestoredArguments,
  { tool, writer }: Pick<ResolvedTool, 'tool' | 'writer'>,
): void {
  const problem = validateArguments(tool, args, writer, written);
  if (problem === undefined) return;
  throw new UnredactedError(new ToolwrightError('INVALID_ARGUMENTS', problem, { details: { tool: tool.id } }));
}
