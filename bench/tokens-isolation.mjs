// node bench/tokens-isolation.mjs [--calls N] [--users N]: users with own tokens call a protected MCP
// server in turn. It returns the subject of the token. Counts answers for another user.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createSecretKey, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { createLogins } from '../packages/core/build/logins/logins.js';
import { sealedCredentials } from '../packages/core/build/logins/sealed-credentials.js';
import { memoryStore } from '../packages/storage/build/store.js';
import { round } from './measure.mjs';

const { values } = parseArgs({ options: { calls: { type: 'string' }, users: { type: 'string' } } });
const callsPerUser = Number(values.calls ?? 10_000);
const users = Array.from({ length: Number(values.users ?? 50) }, (_, index) => `user-${index}`);
/** Calls that run at once. */
const AT_ONCE = 100;

const subjects = new AsyncLocalStorage();
const tokens = new Map(users.map((user) => [`token-${randomBytes(16).toString('hex')}`, user]));
const node = toNodeHandler(
  createMcpHandler(() => {
    const mcp = new McpServer({ name: 'protected', version: '1.0.0' }, { capabilities: { tools: {} } });
    mcp.registerTool('whoami', { inputSchema: z.object({}) }, async () => ({
      content: [{ type: 'text', text: subjects.getStore() }],
    }));
    return mcp;
  }),
);
/** A loaded machine may use a connection late. */
const KEEP_ALIVE_MS = 300_000;
const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  const subject = tokens.get(request.headers.authorization?.slice('Bearer '.length));
  if (subject === undefined) response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  else void subjects.run(subject, () => node(request, response));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const config = { url: `http://127.0.0.1:${server.address().port}/mcp` };

const key = { id: randomBytes(8), key: createSecretKey(randomBytes(32)) };
const credentials = sealedCredentials(memoryStore(), { current: async () => key, all: async () => [key] });
for (const [access_token, user] of tokens) {
  const record = {
    user,
    tokens: { access_token, token_type: 'Bearer' },
    issuedAtMs: Date.now(),
    discovery: {},
    client: {},
  };
  await credentials.write({ kind: 'account', server: JSON.stringify(['web', config.url]), name: user }, record);
}
const { connect } = createLogins(credentials, async () => 'data folder');
const connector = connect({ server: 'web', config, fill: async (_server, own) => own }, () => undefined);

const start = performance.now();
let next = 0;
let crossed = 0;
const total = users.length * callsPerUser;
async function work() {
  while (next < total) {
    const userId = users[next++ % users.length];
    if ((await connector.call('whoami', {}, { userId })) !== userId) crossed++;
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, work));
const seconds = (performance.now() - start) / 1_000;
console.log(JSON.stringify({ users: users.length, calls: total, crossed, callsPerSecond: round(total / seconds) }));
await connector[Symbol.asyncDispose]();
server.closeAllConnections();
server.close();
process.exitCode = crossed === 0 ? 0 : 1;
