// The server of one case, with the behaviour that users reported of real servers: `node server.mjs CASE FILE`. It runs on stdio. For a
// case with `http`, it prints its address. Each `put` is appended to the file as it came.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { CASES, text } from './cases.mjs';

const [name, file] = process.argv.slice(2);
const { tools = ['get'], initialize = {}, list, results = {}, raw, lines, http } = CASES[name];
const definitions = tools.map((tool) =>
  typeof tool === 'string' ? { name: tool, description: `Returns the ${tool}`, inputSchema: { type: 'object' } } : tool,
);
const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version: '1' }, ...initialize },
  }),
  'tools/list': (params) => ({ result: { tools: definitions, ...list?.(params) } }),
  'tools/call': ({ name: tool }) => results[tool] ?? { result: text('done') },
  ping: () => ({ result: {} }),
};
const UNKNOWN = { error: { code: -32601, message: 'Method not found' } };

/** Returns the line that answers a request, undefined for a notification. */
function answerTo(line) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return undefined;
  if (method === 'tools/call' && params.name === 'put') appendFileSync(file, `${line}\n`);
  if (method === 'tools/call' && raw !== undefined) return raw.replace('ID', JSON.stringify(id));
  return JSON.stringify({ jsonrpc: '2.0', id, ...(ANSWERS[method]?.(params) ?? UNKNOWN) });
}

function serveLines() {
  const write = lines ?? ((line) => `${line}\n`);
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      const answer = answerTo(line);
      if (answer !== undefined) process.stdout.write(write(answer));
    })
    .on('close', () => process.exit());
}

function serveRequests() {
  const sessions = { known: 'one' };
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    let body = '';
    for await (const part of request) body += part;
    const { method } = JSON.parse(body);
    const answer = answerTo(body);
    const session = request.headers['mcp-session-id'];
    const other = http({ method, body, session, sessions });
    const opened = method === 'initialize' ? { 'mcp-session-id': sessions.known } : {};
    const headers = { 'content-type': 'application/json', ...opened };
    if (other !== undefined) return response.writeHead(other.status, headers).end(other.body ?? answer);
    response.writeHead(answer === undefined ? 202 : 200, headers).end(answer);
  });
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
}

if (http === undefined) serveLines();
else serveRequests();
