// Makes the same calls without Toolwright, with the plain MCP client. Counts the tokens that a model would read and write:
// all tool definitions once, and the arguments and the result of each call.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** Counts the tokens of direct calls. `calls` are the calls of the program, in order: `{ tool: 'server__name', arguments }`. */
export async function countDirectCalling(servers, calls) {
  const clients = new Map();
  let definitions = 0;
  for (const [name, { command, args, env, cwd }] of Object.entries(servers)) {
    const client = new Client({ name: 'direct', version: '1.0.0' });
    const transport = new StdioClientTransport({
      command,
      args,
      env: { PATH: process.env.PATH, ...env },
      cwd,
      stderr: 'ignore',
    });
    await client.connect(transport);
    clients.set(name, client);
    const { tools } = await client.listTools();
    for (const { name: tool, description, inputSchema } of tools) {
      definitions += countTokens(JSON.stringify({ name: `${name}__${tool}`, description, inputSchema }));
    }
  }
  let written = 0;
  let read = 0;
  for (const { tool, arguments: args } of calls) {
    const [server, name] = tool.split('__');
    written += countTokens(JSON.stringify({ name: tool, arguments: args }));
    const { content } = await clients.get(server).callTool({ name, arguments: args });
    read += countTokens(content.map((block) => block.text ?? '').join('\n'));
  }
  await Promise.all([...clients.values()].map((client) => client.close()));
  return { definitions, written, read };
}
