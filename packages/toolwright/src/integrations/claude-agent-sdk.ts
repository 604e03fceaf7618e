// `toolwright/claude-agent-sdk`: the tools of Toolwright for the Claude Agent SDK, as a server in the same process.
import { createSdkMcpServer, type McpSdkServerConfigWithInstance, tool } from '@anthropic-ai/claude-agent-sdk';
import type { Toolwright } from '@toolwright/core';
import { type CodeToolsOptions, createCodeTools, VERSION } from '@toolwright/server';
import * as z from 'zod';

/**
 * Returns a server for the option `mcpServers` of `query`. Calls that need an approval wait for `onApproval` of the options, which
 * shows them to the user. Without it, they are decided elsewhere, see `toolwright executions approve`.
 */
export async function codeServer(
  toolwright: Toolwright,
  options: Omit<CodeToolsOptions, 'canContinue'> = {},
): Promise<McpSdkServerConfigWithInstance> {
  const tools = createCodeTools(toolwright, { ...options, canContinue: false });
  return createSdkMcpServer({
    name: 'toolwright',
    version: VERSION,
    instructions: await tools.instructions(),
    tools: tools.definitions.map(({ name, description, inputSchema }) =>
      tool(name, description, shapeOf(inputSchema), async (input) => {
        const { text, isError, media = [] } = await tools.call(name, input);
        return { content: [{ type: 'text', text }, ...media], isError };
      }),
    ),
  });
}

function shapeOf(inputSchema: object): z.ZodRawShape {
  const schema = z.fromJSONSchema({ ...inputSchema });
  return schema instanceof z.ZodObject ? schema.shape : {};
}
