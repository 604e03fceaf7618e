// An MCP server whose effects can be counted: each call appends the id of its argument to the file EFFECTS, then answers.
// `node effects.mjs` serves stdin and stdout, `node effects.mjs PORT` serves Streamable HTTP.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const MAX_WAIT_MS = 10_000;
const properties = { id: { type: 'string' }, ms: { type: 'number' }, count: { type: 'number' }, values: {} };
const schema = { type: 'object', properties, required: ['id'] };
const TOOLS = [
  { name: 'record', description: 'Records an effect', inputSchema: schema },
  { name: 'slow', description: 'Records an effect, and answers after ms milliseconds', inputSchema: schema },
  { name: 'fail', description: 'Fails without an effect', inputSchema: schema },
  { name: 'large', description: 'Returns 200 kB of text', inputSchema: schema },
  { name: 'count', description: 'Returns the number of values', inputSchema: schema },
  { name: 'values', description: 'Returns count rows with a mail address', inputSchema: schema },
];

async function call({ name, arguments: { id, ms = 0, count = 0, values = [] } }) {
  const text = (value) => ({ content: [{ type: 'text', text: value }] });
  if (name === 'fail') return { ...text(`the upstream failed for ${id}`), isError: true };
  if (name === 'large') return text('0123456789'.repeat(20_000));
  if (name === 'count') return text(String(Object.keys(values).length));
  if (name === 'values')
    return text(JSON.stringify(Array.from({ length: count }, (_, row) => ({ mail: `r${row}@ex.com` }))));
  appendFileSync(process.env.EFFECTS, `${id}\n`);
  if (name === 'slow') await sleep(Math.min(ms, MAX_WAIT_MS));
  return text(id);
}

async function answer({ id, method, params }) {
  if (id === undefined) return undefined;
  const results = {
    initialize: () => ({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'effects', version: '1.0.0' },
    }),
    ping: () => ({}),
    'tools/list': () => ({ tools: TOOLS }),
    'tools/call': () => call(params),
  };
  if (!Object.hasOwn(results, method))
    return { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } };
  return { jsonrpc: '2.0', id, result: await results[method]() };
}

const port = process.argv[2];
if (port === undefined) {
  createInterface({ input: process.stdin }).on('line', async (line) => {
    const message = await answer(JSON.parse(line));
    if (message) process.stdout.write(`${JSON.stringify(message)}\n`);
  });
} else {
  createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    let body = '';
    for await (const chunk of request) body += chunk;
    const message = await answer(JSON.parse(body));
    if (message === undefined) return response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
  }).listen(Number(port), '127.0.0.1', () => console.log('ready'));
}
