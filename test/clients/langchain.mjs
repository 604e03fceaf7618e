// The MCP adapters of LangChain: the message that a model receives from a tool.
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { messageOf } from './langchain-message.mjs';

/** @param {import('./client.d.ts').ServerCommand} server */
export async function open({ command, args, cwd }) {
  const client = new MultiServerMCPClient({ mcpServers: { toolwright: { transport: 'stdio', command, args, cwd } } });
  const tools = await client.getTools();
  return {
    names: async () => tools.map(({ name }) => name),
    call: (name, input) => messageOf(tools, name, input),
    close: () => client.close(),
  };
}
