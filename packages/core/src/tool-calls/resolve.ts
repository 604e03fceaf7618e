import type { ResolvedTool } from '../catalog/resolved-tool.ts';
import { isResourceCall } from '../execution/resources/tools.ts';
import type { ToolCall, ToolCallContext } from './call.ts';

/** Finds the called tool, or the server of a resource, and its connector. Raises `UNKNOWN_TOOL` with suggestions, or an error of a server that is down. */
export function resolveTool(
  { tool, args }: Pick<ToolCall, 'tool' | 'args'>,
  { catalog, resources, language }: Pick<ToolCallContext, 'catalog' | 'resources' | 'language'>,
): Promise<ResolvedTool> {
  if (resources && isResourceCall(tool)) return resources.resolve(tool, args);
  return catalog.resolve(tool, language);
}
