import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';
import { ask } from '../fixtures/http-server.ts';
import { type Connected, connectClient, startHttp, textOf } from '../fixtures/mcp-clients.ts';
import { fixture } from '../fixtures/server.ts';

const desk = openDesk();
desk.write('toolwright.json', {
  mcpServers: { basic: fixture('basic'), documents: fixture('documents'), bank: fixture('bank') },
  profiles: {
    work: { servers: ['basic'] },
    reading: { servers: ['documents'], tools: ['basic__echo'] },
    wrong: { servers: ['basik'] },
  },
});
const HIDDEN = /bank|documents/;

const call = async (client: Client, name: string, args: Record<string, unknown>) => {
  const answer = await client.callTool({ name, arguments: args });
  return { text: textOf(answer), isError: answer.isError === true };
};

/** Returns everything that a client can list and search. */
async function shownTo(client: Client): Promise<string> {
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  const { prompts } = await client.listPrompts();
  const found = await call(client, 'search_tools', { query: 'read\necho\nmoney\ntransfer\ndocument', limit: 50 });
  const code =
    'return [await list_mcp_tools(), await fs.readdir("/servers"), await list_resources().catch(() => 0), await search_tools("money")]';
  const listed = await call(client, 'execute_code', { code });
  return JSON.stringify([client.getInstructions(), resources, resourceTemplates, prompts, found, listed]);
}

async function connect(url: string, era: 'legacy' | 'modern', headers: Record<string, string> = {}): Promise<Client> {
  const mode = era === 'legacy' ? era : { pin: '2026-07-28' };
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

describe('over stdio', () => {
  let connected: Connected;
  beforeAll(async () => {
    connected = await connectClient(desk, { transport: 'stdio', era: 'legacy' }, ['--servers', 'work']);
  });
  afterAll(() => connected.close());

  test('--servers names the set that the client uses', async () => {
    const { client } = connected;
    const shown = await shownTo(client);
    expect(shown).toContain('basic__echo');
    expect(shown).not.toMatch(HIDDEN);
    const ran = await call(client, 'execute_code', { code: 'return callMCPTool("basic__echo", { value: "hello" })' });
    expect(ran).toEqual({ text: 'hello', isError: false });
    const hidden = await call(client, 'get_tool_definition', { name: 'bank__transfer' });
    expect(hidden).toEqual({ text: expect.stringContaining('The profile "work" has no such tool.'), isError: true });
  });

  test.each([
    [['mcp', '--servers', 'wrok'], /no profile "wrok".*work, reading, wrong/],
    [['mcp', '--servers', '__proto__'], /no profile "__proto__"/],
    [['mcp', '--servers', '*'], /no profile "\*"/],
    [['keys', 'create', '--user', 'ada', '--servers', 'wrok'], /no profile "wrok"/],
    [['keys', 'create', '--user', 'ada', '--servers', 'work', '--scope', 'servers:admin'], /beyond the profile/],
  ])('%j is refused', async (args, problem) => {
    const { code, err } = await desk.run(args, '');
    expect([code, err]).toEqual([2, expect.stringMatching(problem)]);
  });
});

describe('over HTTP', () => {
  let server: Awaited<ReturnType<typeof startHttp>>;
  let origin: string;
  let keys: { readonly bound: string; readonly free: string };
  beforeAll(async () => {
    const create = async (...args: string[]) =>
      (await desk.run(['keys', 'create', '--user', 'ada', ...args])).out.trim();
    keys = { bound: await create('--servers', 'work'), free: await create() };
    server = await startHttp(desk);
    ({ origin } = new URL(server.url));
  });
  afterAll(() => server.stop());
  const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

  test.each(['legacy', 'modern'] as const)('/mcp/NAME is an endpoint of a profile (%s)', async (era) => {
    const { headers } = as(keys.free);
    const [work, all] = await Promise.all([
      connect(`${server.url}/work`, era, headers),
      connect(server.url, era, headers),
    ]);
    const shown = await shownTo(work);
    expect(shown).toContain('basic__echo');
    expect(shown).not.toMatch(HIDDEN);
    expect(await shownTo(all)).toMatch(HIDDEN);
    await Promise.all([work.close(), all.close()]);
  });

  test('a key with a profile has it at /mcp, and cannot choose another one', async () => {
    const { headers } = as(keys.bound);
    const client = await connect(server.url, 'modern', headers);
    expect(await shownTo(client)).not.toMatch(HIDDEN);
    await client.close();
    const body = { json: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} } };
    for (const path of ['/mcp/reading', '/mcp/nothing', '/mcp/*']) {
      const answer = await ask(`${origin}${path}`, { ...body, headers });
      expect([answer.status, answer.body.detail]).toEqual([403, expect.stringContaining('"work"')]);
      expect(JSON.stringify(answer.body)).not.toMatch(HIDDEN);
    }
    expect((await ask(`${origin}/mcp/work`, { ...body, headers })).status).not.toBe(403);
  });

  test('a session of one profile is none for another one of the same user', async () => {
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    };
    const accept = 'application/json, text/event-stream';
    const opened = await ask(server.url, { json: initialize, headers: { ...as(keys.free).headers, accept } });
    const id = opened.headers.get('mcp-session-id') ?? '';
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} };
    const headers = { accept, 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
    expect((await ask(server.url, { json: list, headers: { ...headers, ...as(keys.free).headers } })).status).toBe(200);
    expect((await ask(server.url, { json: list, headers: { ...headers, ...as(keys.bound).headers } })).status).toBe(
      404,
    );
    expect(
      (await ask(`${server.url}/work`, { json: list, headers: { ...headers, ...as(keys.free).headers } })).status,
    ).toBe(404);
  });

  test('every route of the API knows the tools of the key only', async () => {
    const all = await ask(`${origin}/execute`, {
      ...as(keys.free),
      json: { code: 'return callMCPTool("bank__balance", {}).catch(({ message }) => message)', check: false },
    });
    for (const path of ['/tools', '/servers', '/tools?server=basic', '/executions', '/tasks', '/session', '/pins']) {
      const { status, body } = await ask(`${origin}${path}`, as(keys.bound));
      expect([path, status < 500, JSON.stringify(body)]).toEqual([path, true, expect.not.stringMatching(HIDDEN)]);
    }
    const found = await ask(`${origin}/tools`, as(keys.bound));
    expect(JSON.stringify(found.body)).toContain('basic__echo');
    const ran = await ask(`${origin}/execute`, {
      ...as(keys.bound),
      json: { code: 'return callMCPTool("bank__balance", {})', check: false },
    });
    expect(ran.body).toMatchObject({ status: 'failed', error: { code: 'UNKNOWN_TOOL' } });
    for (const path of [`/executions/${all.body.executionId}`, `/executions/${all.body.executionId}/calls`]) {
      expect((await ask(`${origin}${path}`, as(keys.bound))).status).toBe(404);
      expect((await ask(`${origin}${path}`, as(keys.free))).status).toBe(200);
    }
    const chosen = await ask(`${origin}/execute`, { ...as(keys.bound), json: { code: 'return 1', profile: '*' } });
    expect(chosen.status).toBe(422);
  });

  test('a wrong or unknown profile is a problem with its name, and the others work', async () => {
    const body = { json: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, ...as(keys.free) };
    const unknown = await ask(`${origin}/mcp/wrok`, body);
    expect([unknown.status, unknown.body.detail]).toEqual([404, expect.stringContaining('work, reading, wrong')]);
    const wrong = await ask(`${origin}/mcp/wrong`, body);
    expect([wrong.status >= 400, wrong.body.detail]).toEqual([
      true,
      expect.stringContaining('"basik" matches no server'),
    ]);
    expect((await ask(`${origin}/mcp/__proto__`, body)).status).toBe(404);
    const reading = await connect(`${server.url}/reading`, 'modern', as(keys.free).headers);
    const shown = await shownTo(reading);
    expect(shown).toContain('basic__echo');
    expect(shown).toContain('documents');
    expect(shown).not.toMatch(/bank|basic__(?!echo)/);
    await reading.close();
  });
});
