import type { ResolvedTool } from '../../catalog/resolved-tool.ts';
import type { RestoredArguments, ToolCall, ToolCallContext } from '../call.ts';

/**
 * Replaces placeholders in the arguments by values that this tool may receive. A local function keeps the other placeholders.
 * Raises `UNKNOWN_PLACEHOLDER` or `PII_DENIED`.
 */
export function restoreArguments(
  { args }: ToolCall,
  { tool }: ResolvedTool,
  redactor: ToolCallContext['redactor'],
): Promise<RestoredArguments> {
  const { id, server, definition } = tool;
  return redactor.restoreArguments(args, { tool: id, server, isLocal: definition.isLocal });
}
