import { hasManyDigits } from '@toolwright/sandbox/internal';
import type { ResolvedTool } from '../catalog/resolved-tool.ts';
import { validateArguments } from '../catalog/validation/arguments.ts';
import { withExactIntegers } from '../catalog/validation/exact-arguments.ts';
import { ToolwrightError } from '../errors.ts';
import type { LimitedCall, RestoredArguments } from './call.ts';
import { UnredactedError } from './redaction/unredacted-error.ts';

/** Returns the restored arguments with exact numbers: see {@link withExactIntegers}. */
export function exactArguments(
  { argumentText }: LimitedCall,
  restored: RestoredArguments,
  { tool }: ResolvedTool,
): RestoredArguments {
  if (!hasManyDigits(argumentText) && !restored.written?.size) return restored;
  return { ...restored, args: withExactIntegers(tool, restored.args) };
}

/** Checks the restored arguments against the schema of the tool. Raises `INVALID_ARGUMENTS`, unredacted: it quotes arguments. */
export function validateCall({ args, written }: RestoredArguments, { tool, writer }: ResolvedTool): void {
  const problem = validateArguments(tool, args, writer, written);
  if (problem === undefined) return;
  throw new UnredactedError(new ToolwrightError('INVALID_ARGUMENTS', problem, { details: { tool: tool.id } }));
}
