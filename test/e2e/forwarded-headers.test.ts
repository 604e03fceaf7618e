import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseConfig } from '../../packages/core/src/config/config.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { ask, type HttpServer, startApi } from '../fixtures/http-server.ts';
import { textOf } from '../fixtures/mcp-clients.ts';

const USERS = 50;
/** The headers of all requests that a server received. */
const received: Record<'own' | 'other', IncomingMessage['headers'][]> = { own: [], other: [] };

/** An MCP server whose tools return the tenant of their request, and that of the request that began their session. */
function upstream(name: 'own' | 'other') {
  const sessions = new Map<string, string>();
  return createServer(async (request, response) => {
    received[name].push(request.headers);
    const tenant = String(request.headers['x-tenant'] ?? 'none');
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(await text(request));
    if (id === undefined) return void response.writeHead(202).end();
    const began = sessions.get(String(request.headers['mcp-session-id']));
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    const token = String(request.headers.authorization ?? 'none');
    const isError = params?.name === 'fail';
    let result: unknown = { content: [{ type: 'text', text: JSON.stringify({ tenant, began, token }) }], isError };
    if (method === 'initialize') {
      const session = `s${sessions.size}`;
      sessions.set(session, tenant);
      headers['mcp-session-id'] = session;
      result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name, version: '1' } };
    }
    const tools = ['who', 'pay', 'fail'].map((tool) => ({ name: tool, inputSchema: { type: 'object' } }));
    if (method === 'tools/list') result = { tools };
    response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
}

const servers = [upstream('own'), upstream('other')];
let api: HttpServer;
const code = 'return callMCPTool("own__who", {})';
const CLIENT = { 'x-tenant': 'acme', 'x-crm-token': 'Bearer token-of-acme' };
const WHO = { tenant: 'acme', began: 'acme', token: 'Bearer token-of-acme' };

beforeAll(async () => {
  vi.stubEnv('OF_TOOLWRIGHT', 'secret-of-toolwright');
  const urls = await Promise.all(
    servers.map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    }),
  );
  const common = { protocol: 'legacy', type: 'http', oauth: false } as const;
  const forwardHeaders = { 'x-tenant': 'X-Tenant', authorization: 'x-crm-token' };
  const config = openDesk().write('toolwright.json', {
    mcpServers: {
      own: { ...common, url: urls[0], headers: { 'X-Tenant': 'shared', 'x-kind': 'crm' }, forwardHeaders },
      other: { ...common, url: urls[1] },
    },
    direct: ['own__who'],
    policy: { rules: [{ tools: 'own__pay', action: 'ask' }] },
    waits: { graceMs: 0 },
  });
  api = await startApi({}, { config });
});
afterAll(async () => {
  await api.close();
  for (const server of servers) server.close();
  vi.unstubAllEnvs();
});

const execute = async (source: string, headers: Record<string, string> = CLIENT) =>
  (await ask(`${api.url}/execute`, { json: { code: source }, headers })).body;

describe('headers of clients', () => {
  test.each(['/execute', '/mcp'])(
    `reach the server for their client only, for ${USERS} at once (%s)`,
    async (route) => {
      const tenants = Array.from({ length: USERS }, (_, index) => `tenant-${index}`);
      const answers = await Promise.all(
        tenants.map(async (tenant) => {
          const headers = { 'x-tenant': tenant, 'x-crm-token': `token of ${tenant}` };
          if (route === '/execute') return (await execute(code, headers)).value;
          return withClient('legacy', headers, async (client) =>
            JSON.parse(textOf(await client.callTool({ name: 'execute_code', arguments: { code } }))),
          );
        }),
      );
      expect(answers).toEqual(tenants.map((tenant) => ({ tenant, began: tenant, token: `token of ${tenant}` })));
    },
  );

  test('reach no other server, and no other header reaches one', async () => {
    const headers = { ...CLIENT, 'x-other': 'private', cookie: 'a=b', 'x-kind': 'of the client' };
    const both = 'return [await callMCPTool("own__who", {}), await callMCPTool("other__who", {})]';
    expect((await execute(both, headers)).value).toEqual([WHO, { tenant: 'none', began: 'none', token: 'none' }]);
    expect(received.other.some((sent) => 'x-tenant' in sent || 'authorization' in sent)).toBe(false);
    const all = [...received.own, ...received.other];
    expect(all.some((sent) => 'x-other' in sent || 'cookie' in sent || 'x-crm-token' in sent)).toBe(false);
    expect(received.own.every((sent) => sent['x-kind'] === 'crm')).toBe(true);
  });

  test.each(['legacy', 'modern'] as const)('reach direct calls of MCP clients (%s)', async (era) => {
    await withClient(era, CLIENT, async (client) => {
      expect(JSON.parse(textOf(await client.callTool({ name: 'own__who', arguments: {} })))).toEqual(WHO);
    });
  });

  test('are needed: without one, nothing is sent, and the error names it', async () => {
    const tenant = { 'x-tenant': 'of this test' };
    const wrong: Record<string, string>[] = [{}, tenant, { ...tenant, 'x-crm-token': 'x'.repeat(8_193) }];
    const before = received.own.length;
    for (const headers of wrong)
      expect(await execute(code, headers)).toMatchObject({ status: 'failed', error: { code: 'ACCESS_DENIED' } });
    const { error } = await execute(code, tenant);
    expect(error.message).toContain('own needs the header "x-crm-token" of the client. This request has none');
    // The connections of other clients may end meanwhile.
    const isOther = (sent: IncomingMessage['headers']) => /^(tenant-\d+|acme)$/.test(String(sent['x-tenant']));
    expect(received.own.slice(before).filter((sent) => !isOther(sent))).toEqual([]);
    const stdio = await api.toolwright.execute(code);
    expect(stdio).toMatchObject({ status: 'failed', error: { code: 'ACCESS_DENIED' } });
  });

  test('are in no error, log or journal', async () => {
    const secret = 'Bearer sealed-value-of-a-token';
    const failed = await execute('return callMCPTool("own__fail", {})', { ...CLIENT, 'x-crm-token': secret });
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'TOOL_FAILED' } });
    const ended = await execute('await callMCPTool("own__who", {}); return 1', { ...CLIENT, 'x-crm-token': secret });
    const { entries } = await api.toolwright.executions.journal(ended.executionId);
    const start = entries.filter(({ entry }) => entry === 'start' || entry === 'call');
    expect(start.length).toBeGreaterThan(1);
    const servers = await ask(`${api.url}/servers`);
    expect(JSON.stringify([failed, ended, start, servers.body, api.logged])).not.toContain('sealed-value');
  });

  test('are no references to secrets', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: references to secrets, as a client could send them
    const token = '${OF_TOOLWRIGHT} ${env:OF_TOOLWRIGHT} ${command:id}';
    expect((await execute(code, { ...CLIENT, 'x-crm-token': token })).value).toMatchObject({ token });
  });

  test('belong to an idempotency key: other values are another request', async () => {
    const send = (tenant: string) =>
      ask(`${api.url}/execute`, {
        json: { code },
        headers: { ...CLIENT, 'x-tenant': tenant, 'idempotency-key': 'one-key' },
      });
    expect((await send('first')).body.value.tenant).toBe('first');
    expect((await send('first')).body.value.tenant).toBe('first');
    expect((await send('second')).status).toBe(422);
  });

  test('are not stored: a resumed execution needs them again', async () => {
    const program = 'await callMCPTool("own__pay", {}); return callMCPTool("own__who", {})';
    const suspended = async () => {
      const { executionId, status } = await execute(program);
      expect(status).toBe('suspended');
      await api.toolwright.executions.decide(executionId, { action: 'approve' });
      return executionId as string;
    };
    const resume = async (headers: Record<string, string>) =>
      (await ask(`${api.url}/executions/${await suspended()}/resume`, { method: 'POST', headers })).body;
    expect(await resume(CLIENT)).toMatchObject({ status: 'completed', value: WHO });
    expect(await resume({})).toMatchObject({ status: 'failed', error: { code: 'ACCESS_DENIED' } });
    expect((await resume({})).error.message).toContain('Headers are not stored');
  });
});

async function withClient<T>(
  era: 'legacy' | 'modern',
  headers: Record<string, string>,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const mode = era === 'legacy' ? era : { pin: '2026-07-28' };
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { requestInit: { headers } }));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

describe('the setting forwardHeaders', () => {
  const read = (entry: object) => {
    const mcpServers = { a: { url: 'http://127.0.0.1:1/mcp', ...entry } };
    const { servers: own, invalidServers } = parseConfig({ mcpServers }, {});
    return JSON.stringify([...own.values(), ...invalidServers.values()]);
  };

  test.each([
    [['authorization'], /login to Toolwright and is never forwarded.*x-server-token/],
    [['X-API-Key'], /login to Toolwright/],
    [{ 'x-a': 'cookie' }, /login to Toolwright/],
    [['Host'], /belongs to the connection/],
    [['content-length'], /belongs to the connection/],
    [{ 'mcp-session-id': 'x-a' }, /belongs to the connection/],
    [['x-a\r\nx-b'], /is no name of a header/],
    [[''], /is no name of a header/],
    [['x-a', 'X-A'], /twice/],
    [[], /expected 1 to 16/],
    ['x-a', /expected a list of names of headers/],
  ])('refuses %j', (forwardHeaders, problem) => {
    expect(read({ forwardHeaders })).toMatch(problem);
  });

  test('is for servers without logins, and for MCP over HTTP', () => {
    expect(read({ forwardHeaders: ['x-a'], oauth: { clientId: 'c' } })).toMatch(/has no logins/);
    expect(read({ forwardHeaders: ['X-Tenant'] })).toContain('"forwardHeaders":{"x-tenant":"x-tenant"}');
  });
});
