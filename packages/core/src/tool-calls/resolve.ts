import type { Tool } from '@toolwright/connectors';
import type { ResolvedTool } from '../catalog/resolved-tool.ts';
import { ToolwrightError } from '../errors.ts';
import type { ToolCall, ToolCallContext } from './call.ts';
import { askForLogin, type LoginDetails, loginDetails } from './policy/authorize.ts';
import { isResourceCall } from './resources/tools.ts';

/** Finds the called tool, or the server of a resource, and its connector. Raises `UNKNOWN_TOOL` with suggestions, or an error of a server that is down. */
export function resolveTool(
  { tool, args }: ToolCall,
  { catalog, resources, language }: ToolCallContext,
): ResolvedTool | Promise<ResolvedTool> {
  return resources && isResourceCall(tool) ? resources().resolve(tool, args) : catalog.resolve(tool, language);
}

/**
 * Waits for the tool that {@link resolveTool} finds. When its server lists its tools only after a login, asks for the login of the user
 * first. The policy decides about the call afterwards, with the definition of the tool.
 */
export async function resolveAuthorized(
  found: ResolvedTool | Promise<ResolvedTool>,
  call: ToolCall,
  context: ToolCallContext,
): Promise<ResolvedTool> {
  const { startLogin, dryRun, userId } = context;
  // An execution that is continued asks its question again, with the same link.
  let asked = call.earlier?.login as LoginDetails | undefined;
  for (let finding = found; ; finding = resolveTool(call, context)) {
    try {
      return await finding;
    } catch (error) {
      const server = unlistedServer(error);
      if (server === undefined || !startLogin || dryRun) throw error;
      const details = asked ?? (await loginDetails(server, startLogin, userId));
      asked = undefined;
      await askForLogin({ call, restored: call, target: { tool: unlistedTool(call.tool, server) } }, details, context);
    }
  }
}

function unlistedServer(error: unknown): string | undefined {
  if (!(error instanceof ToolwrightError) || error.code !== 'AUTHORIZATION_REQUIRED') return undefined;
  const { server } = error.details;
  return typeof server === 'string' ? server : undefined;
}

/** Returns a tool whose definition is unknown, for the question. */
function unlistedTool(id: string, server: string): Tool {
  return { id, server, definition: { name: id.slice(server.length + 2), inputSchema: { type: 'object' } } };
}
