import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AuthInfo, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, describe, expect, it } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { mcpEndpoint } from '../../packages/server/src/mcp/endpoint.ts';
import { mcpServers } from '../../packages/server/src/mcp.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { ask, startApi } from '../fixtures/http-server.ts';
import { partial } from '../fixtures/partial.ts';

const KEY = 'merger_with_acme';
const inputSchema = { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] } as const;
const plans = {
  plans: { tools: { find: { description: 'Finds plans.', inputSchema, run: () => ({ [KEY]: { state: 1 } }) } } },
};
const dataDir = temporaryFolder();
const silent = { error: () => undefined, warn: () => undefined, info: () => undefined };

const api = await startApi({}, { dataDir, tools: plans });
const { toolwright } = api;
const endpoint = mcpEndpoint(mcpServers({ open: async () => toolwright, logger: partial(silent) }), partial(silent));
afterAll(async () => {
  await endpoint.close();
  await api.close();
});

async function mcpClient(user: string): Promise<Client> {
  const authInfo: AuthInfo = { token: 't', clientId: user, scopes: [], extra: { user } };
  const fetch = (url: string | URL, init?: RequestInit) => endpoint.fetch(new Request(url, init), { authInfo });
  const client = new Client({ name: user, version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL('http://test.local/mcp'), { fetch }));
  return client;
}
const guest = async (code: string, userId: string) => {
  const result = await toolwright.execute(code, { userId, check: false });
  return JSON.stringify(result.status === 'completed' ? result.value : result);
};
const file = async (path: string, userId: string) =>
  (await toolwright.serverFiles('typescript', userId).read(path, 100_000)).toString();
const mcp = async (user: string, look: (client: Client) => Promise<unknown>) =>
  JSON.stringify(await look(await mcpClient(user)));

/** Every place where the type of a result can be read. */
const PLACES: Readonly<Record<string, (userId: string) => Promise<string>>> = {
  'a search': async (userId) => (await toolwright.search('plans', { userId })).text,
  'a signature': (userId) => toolwright.describe('plans__find', 'signature', { userId }),
  'a declaration': (userId) => toolwright.describe('plans__find', 'docs', { userId }),
  'a declaration in Python': (userId) => toolwright.describe('plans__find', 'docs', { userId, language: 'python' }),
  'the file of a tool': (userId) => file('/servers/plans/find.ts', userId),
  'the declarations of a server': (userId) => file('/servers/plans/index.d.ts', userId),
  'the module of a server': (userId) => file('/servers/plans/index.js', userId),
  'the Python stub of a server': (userId) => file('/servers/plans.pyi', userId),
  'a search of a program': (userId) => guest('return search_tools("plans")', userId),
  'a description in a program': (userId) => guest('return get_mcp_tool_details("plans__find")', userId),
  'a file in a program': (userId) => guest('return fs.readFile("/servers/plans/find.ts", "utf8")', userId),
  'the error of a call': (userId) => guest('await callMCPTool("plans__find", { id: "x" })', userId),
  'the error of an unknown name': (userId) => guest('await callMCPTool("plans__fnd", { id: 1 })', userId),
  'the error of a check': async (userId) =>
    JSON.stringify(await toolwright.check('await callMCPTool("plans__find", { id: "x" }); return 1', { userId })),
  'GET /tools': async (user) => JSON.stringify((await ask(`${api.url}/tools?query=plans&userId=${user}`)).body),
  'GET /tools/{name}': async (user) => JSON.stringify((await ask(`${api.url}/tools/plans__find?userId=${user}`)).body),
  'the MCP tool search_tools': (user) =>
    mcp(user, (client) => client.callTool({ name: 'search_tools', arguments: { query: 'plans' } })),
  'the MCP tool get_tool_definition': (user) =>
    mcp(user, (client) => client.callTool({ name: 'get_tool_definition', arguments: { name: 'plans__find' } })),
  'an MCP resource': (user) =>
    mcp(user, (client) => client.readResource({ uri: 'toolwright://servers/plans/find.ts' })),
};

describe('the type that was inferred from a result', async () => {
  expect(await guest('return callMCPTool("plans__find", { id: 1 })', 'ada')).toContain(KEY);

  it.each(Object.entries(PLACES))('is shown to its user and to nobody else: %s', async (_place, read) => {
    expect(await read('bob')).not.toContain(KEY);
    expect(await read('ada')).toContain(KEY);
    expect(await read('bob')).not.toContain(KEY);
  });

  it('is in no list of tools and in no instructions', async () => {
    expect(JSON.stringify(await toolwright.tools())).not.toContain(KEY);
    for (const user of ['ada', 'bob']) {
      expect((await mcpClient(user)).getInstructions()).not.toContain(KEY);
    }
  });
});

it('after a restart, each user has the own types', async () => {
  const folder = temporaryFolder();
  {
    await using first = await createToolwright({ dataDir: folder, sandbox: 'quickjs', tools: plans });
    await first.execute('return callMCPTool("plans__find", { id: 1 })', { userId: 'ada@example.org' });
  }
  await using again = await createToolwright({ dataDir: folder, sandbox: 'quickjs', tools: plans });
  const signature = (userId: string) => again.describe('plans__find', 'signature', { userId });
  expect(await signature('ada@example.org')).toContain(KEY);
  expect(await signature('bob')).not.toContain(KEY);
});

it('types of an earlier version, which are of all users, are deleted', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'observed'));
  writeFileSync(join(folder, 'observed', `${'0'.repeat(32)}.json`), '{"type":["string"]}');
  await using _toolwright = await createToolwright({ dataDir: folder, sandbox: 'quickjs', tools: plans });
  expect(existsSync(join(folder, 'observed'))).toBe(false);
});
