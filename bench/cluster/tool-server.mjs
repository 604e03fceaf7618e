// An MCP server over HTTP with one tool, which returns its argument at once. Prints its URL.
import { createServer } from 'node:http';

const echo = {
  name: 'echo',
  description: 'Returns its argument',
  inputSchema: { type: 'object', properties: { value: { type: 'string' } }, required: ['value'] },
};
const results = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'tools', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [echo] }),
  'tools/call': ({ arguments: { value } }) => ({ content: [{ type: 'text', text: value }] }),
};

const server = createServer(async (request, response) => {
  if (request.method !== 'POST') return response.writeHead(405).end();
  let body = '';
  for await (const chunk of request) body += chunk;
  const { id, method, params } = JSON.parse(body);
  if (id === undefined) return response.writeHead(202).end();
  const known = Object.hasOwn(results, method);
  const outcome = known ? { result: results[method](params) } : { error: { code: -32601, message: 'no such method' } };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
