import type { ResolvedTool } from '../catalog/resolved-tool.ts';
import { ToolwrightError } from '../errors.ts';
import type { ToolCall, ToolCallContext } from './call.ts';

/**
 * Raises `TOOL_NOT_NAMED` for a call whose tool the text of the program does not name, unless the tool is read-only. A name from a search
 * or from data is the choice of nobody who has read the tool. A call of an execution that is continued passed this before.
 */
export async function requireNamed(
  { earlier }: ToolCall,
  { tool, writer }: ResolvedTool,
  { names, policy, catalog }: ToolCallContext,
): Promise<void> {
  // A login comes before this stage.
  const hasPassed = earlier !== undefined && earlier.login === undefined;
  if (hasPassed || policy.isReadOnly(tool) || (await names.isNamed(tool))) return;
  const message = `${tool.id} is not read-only, and the program has its name from a value. Nothing was sent. Read the signature. If it is the right tool, write its name in the program as a text, or import its function:\n${writer.signature(catalog.withObserved(tool))}`;
  throw new ToolwrightError('TOOL_NOT_NAMED', message, { details: { tool: tool.id } });
}
