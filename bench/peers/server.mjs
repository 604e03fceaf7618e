// The MCP server that all peers call, on stdio: echo, rows and text of a given size, and a tool that waits. Further tools fill the list.
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const server = new McpServer({ name: 'peers', version: '1' });
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const add = (name, description, fields, run) =>
  server.registerTool(name, { description, inputSchema: z.object(fields) }, run);
add('echo', 'Returns the text', { value: z.string() }, ({ value }) => text(value));
add('wait', 'Returns after some milliseconds', { milliseconds: z.number() }, async ({ milliseconds }) => {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  return text('done');
});
add('fill', 'Returns a text with this number of bytes', { bytes: z.number() }, ({ bytes }) => text('x'.repeat(bytes)));
for (let index = 0; index < 97; index++) {
  const fields = { id: z.string().describe('Identifier of the record'), limit: z.number().optional() };
  add(`list_records_${index}`, `Lists the records of collection ${index}, newest first`, fields, () => text('[]'));
}
await server.connect(new StdioServerTransport());
