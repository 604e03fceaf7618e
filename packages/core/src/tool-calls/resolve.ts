import type { ResolvedTool } from '../catalog/resolved-tool.ts';
import type { ToolCall, ToolCallContext } from './call.ts';

/** Finds the called tool and its connector. Raises `UNKNOWN_TOOL` with suggestions, or an error of a server that is down. */
export function resolveTool(
  { tool }: ToolCall,
  { catalog, language }: Pick<ToolCallContext, 'catalog' | 'language'>,
): Promise<ResolvedTool> {
  return catalog.resolve(tool, language);
}
