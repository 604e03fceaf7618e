// mcp-use: its client, with the tools for an agent.
import { LangChainAdapter } from 'mcp-use/adapters';
import { MCPClient } from 'mcp-use/client';
import { messageOf } from './langchain-message.mjs';

/** @param {import('./client.d.ts').ServerCommand} server */
export async function open({ command, args, cwd }) {
  const client = new MCPClient({ mcpServers: { toolwright: { command, args, cwd } } });
  const session = await client.createSession('toolwright');
  const tools = await new LangChainAdapter().createToolsFromConnectors([session.connector]);
  return {
    names: async () => tools.map(({ name }) => name),
    call: (name, input) => messageOf(tools, name, input),
    close: () => client.closeAllSessions(),
  };
}
