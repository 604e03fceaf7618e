import { type AuthInfo, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { mcpEndpoint } from '../../packages/server/src/mcp/endpoint.ts';
import { mcpServers } from '../../packages/server/src/mcp.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { partial } from '../fixtures/partial.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const REQUEST = 'Write to ada@example.com, also about Größe.';
const CODE = `return callMCPTool('mail__send', { to: 'ada@example.com', body: 'x' })`;

/** Connects a client to a server with a mailbox and the preset `guarded`. */
async function start(era: string, headers: Record<string, string> = {}) {
  const sent: unknown[] = [];
  const inputSchema = { type: 'object', properties: { to: { type: 'string' }, body: { type: 'string' } } };
  const send = { description: 'Sends', inputSchema, run: (args: unknown) => sent.push(args) };
  const toolwright = await createToolwright({
    ...{ dataDir: temporaryFolder(), sandbox: 'quickjs', check: false, waits: { graceMs: 0 } },
    tools: { mail: { tools: { send } } },
    policy: { preset: 'guarded' },
  });
  closers.push(() => toolwright.close());
  const endpoint = mcpEndpoint(mcpServers({ open: async () => toolwright, logger: partial(silent) }), partial(silent));
  closers.push(() => endpoint.close());
  const mode = era === 'legacy' ? ('legacy' as const) : { pin: '2026-07-28' };
  const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode } });
  const authInfo: AuthInfo = { token: 't', clientId: 'ada', scopes: [], extra: { user: 'ada' } };
  const fetch = (url: string | URL, init?: RequestInit) => {
    const request = new Request(url, init);
    for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
    return endpoint.fetch(request, { authInfo });
  };
  await client.connect(new StreamableHTTPClientTransport(new URL('http://test.local/mcp'), { fetch }));
  closers.push(() => client.close());
  const call = (extra: object, args: object = {}) =>
    client.callTool({ name: 'execute_code', arguments: { code: CODE, ...args }, ...extra }).catch(() => undefined);
  return { call, sent };
}

describe.each(['legacy', 'modern'])('the request of the user over MCP, era %s', (era) => {
  it('is the field `_meta` of the call, which the client sets', async () => {
    const { call, sent } = await start(era);
    await call({ _meta: { 'toolwright/request': REQUEST } });
    expect(sent).toHaveLength(1);
  });

  it('is the header of the client', async () => {
    const { call, sent } = await start(era, { 'toolwright-request': encodeURIComponent(REQUEST) });
    await call({});
    expect(sent).toHaveLength(1);
  });

  it('is no argument and no text of the program: the model writes those', async () => {
    const { call, sent } = await start(era);
    await call({}, { request: REQUEST });
    await call({}, { _meta: { 'toolwright/request': REQUEST } });
    await call({}, { code: `/* toolwright/request: ${REQUEST} */ ${CODE}` });
    expect(sent).toEqual([]);
  });
});
