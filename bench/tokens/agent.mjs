// A client of Toolwright's MCP server. Definitions, instructions and responses are those of the product.
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { instructionsFor } from '../../packages/server/dist/agent/instructions.js';
import { mcpServers } from '../../packages/server/dist/mcp.js';

/** Connects to the core profile of the server. A response has a text for the model, and a value for the scripted plan. */
export async function connectAgent(toolwright) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = await mcpServers({ open: async () => toolwright, profile: 'core', logger: console })({});
  await server.connect(far);
  const client = new Client({ name: 'agent', version: '1.0.0' });
  await client.connect(near);
  const { tools } = await client.listTools();
  return {
    definitions: tools.map(shownDefinition),
    searchDefinition: shownDefinition(tools.find(({ name }) => name === 'search_tools')),
    // The instructions after all servers have listed their tools.
    instructions: instructionsFor(await toolwright.servers(), await toolwright.tools()),
    async call(name, args) {
      const { content, structuredContent, isError = false, _meta } = await client.callTool({ name, arguments: args });
      const runMs = _meta?.['toolwright/execution']?.stats.runMs ?? 0;
      return { text: content.map(({ text }) => text).join('\n'), value: structuredContent?.value, isError, runMs };
    },
    close: () => client.close(),
  };
}

/** Returns a definition in the form in which clients send it to a model. */
export function shownDefinition({ name, description, inputSchema }) {
  return JSON.stringify({ name, description, input_schema: inputSchema });
}
