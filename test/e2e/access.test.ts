import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../packages/core/src/config/sections/rate-limits.ts';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { type ApiKeys, apiKeys } from '../../packages/server/src/auth/api-keys.ts';
import { authentication, authInfoOf } from '../../packages/server/src/auth.ts';
import { mcpEndpoint } from '../../packages/server/src/mcp/endpoint.ts';
import { mcpServers } from '../../packages/server/src/mcp.ts';
import { createMetrics } from '../../packages/server/src/metrics/metrics.ts';
import { httpTracing } from '../../packages/server/src/metrics/tracing.ts';
import type { Principal, PrincipalEnv } from '../../packages/server/src/principal.ts';
import { rateLimiter } from '../../packages/server/src/rate-limit.ts';
import { refusalOf, refuse } from '../../packages/server/src/refusal.ts';
import { openState } from '../../packages/storage/src/shared-state.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { serveHono } from '../fixtures/hono-server.ts';
import { textOf, WITH_DATA } from '../fixtures/mcp-clients.ts';
import { partial } from '../fixtures/partial.ts';
import { warmQuickjs } from '../fixtures/warm-sandbox.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const dataDir = temporaryFolder();
const settings = {
  ...DEFAULT_RATE_LIMITS,
  user: { requestsPerMinute: 100, concurrentTasks: 1, concurrentExecutions: 1, tokensPerDay: 10, diskBytes: 0 },
};
const stops: (() => unknown)[] = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

/** Starts a server with all access controls, in their order. */
async function start(): Promise<{ url: string; keys: ApiKeys; stop(): Promise<void> }> {
  const state = await openState({ store: 'sqlite', dataDir });
  const toolwright = await createToolwright({ dataDir, sandbox: warmQuickjs() });
  const keys = apiKeys(state.store);
  const limiter = rateLimiter({ store: state.store, settings });
  const enter = (principal: Principal) => limiter.enter('concurrentExecutions', principal);
  const endpoint = mcpEndpoint(
    mcpServers({ open: async () => toolwright, enter, logger: partial(silent) }),
    partial(silent),
  );
  const metrics = createMetrics();
  const app = new Hono<PrincipalEnv>();
  app.use('*', metrics.requests, httpTracing());
  app.use('*', authentication({ keys, logger: partial(silent) }), limiter.requests);
  app.get('/metrics', metrics.handler);
  app.all('/mcp', (context) => endpoint.fetch(context.req.raw, { authInfo: authInfoOf(context.get('principal')) }));
  app.post('/execute', async (context) => {
    const leave = limiter.enter('concurrentExecutions', context.get('principal'));
    try {
      return context.json(await toolwright.execute(await context.req.text()));
    } finally {
      leave();
    }
  });
  app.post('/task', async (context) => {
    await limiter.checkTokens(context.get('principal'));
    await limiter.chargeTokens(context.get('principal'), 10);
    return context.text('done');
  });
  app.onError((error, context) => {
    const refusal = refusalOf(error);
    if (refusal) return refuse(context, refusal);
    throw error;
  });
  const served = await serveHono(app);
  return {
    url: served.url,
    keys,
    async stop() {
      served.stop();
      metrics.close();
      await endpoint.close();
      await toolwright.close();
      await state[Symbol.asyncDispose]();
    },
  };
}

describe('a server with keys and quotas', () => {
  let url: string;
  let stop: () => Promise<void>;
  let ada: Record<string, string>;
  let bob: Record<string, string>;
  beforeAll(async () => {
    const started = await start();
    ({ url, stop } = started);
    stops.push(() => stop());
    const [adaKey, bobKey] = await Promise.all(['ada', 'bob'].map((user) => started.keys.create({ user })));
    ada = { authorization: `Bearer ${adaKey?.text}` };
    bob = { 'x-api-key': `${bobKey?.text}` };
  });
  const post = (path: string, headers: Record<string, string>, body = '') =>
    fetch(url + path, { method: 'POST', headers, body });

  const connect = async (headers: Record<string, string>) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
    return client;
  };

  it('counts programs over MCP like those over HTTP', async () => {
    const client = await connect(ada);
    const run = (code: string) => client.callTool({ name: 'execute_code', arguments: { code } });
    const slow = run('await utils.sleep(19_000)').catch(() => undefined);
    await expect
      .poll(async () => textOf(await run('return 1')), { timeout: 30_000, interval: 20 })
      .toMatch(/concurrent executions/);
    expect((await post('/execute', ada, 'return 1')).status).toBe(429);
    const found = await client.callTool({ name: 'search_tools', arguments: { query: 'x' } });
    expect(found.isError ?? false).toBe(false);
    await stop();
    await slow;
    await client.close();
    ({ url, stop } = await start());
  });

  it('shows each user of MCP only their own sessions', async () => {
    const clients = await Promise.all([ada, bob].map(connect));
    const [own, other] = clients;
    const run = async (client: Client | undefined, code: string, session: string) =>
      client?.callTool({ name: 'execute_code', arguments: { code, session }, ...WITH_DATA });
    const made = await run(own, 'await fs.writeFile("mine.txt", "ada"); return 1', 'new');
    const { sessionId: session } = Object(made?.structuredContent);
    const seen = await run(own, 'return fs.readFile("mine.txt")', session);
    const denied = await run(other, 'return fs.readFile("mine.txt")', session);
    expect([seen?.isError ?? false, denied?.isError]).toEqual([false, true]);
    expect(denied && textOf(denied)).toMatch(/There is no session/);
    await Promise.all(clients.map((client) => client.close()));
  });

  it('a user at the limit does not block another user', async () => {
    const slow = post('/execute', ada, 'await utils.sleep(19_000)').catch(() => undefined);
    await expect
      .poll(async () => (await post('/execute', ada, 'return 1')).status, { timeout: 30_000, interval: 20 })
      .toBe(429);
    const refused = await post('/execute', ada, 'return 1');
    expect([refused.headers.get('retry-after'), await refused.json()]).toEqual([
      '1',
      expect.objectContaining({ status: 429, code: 'QUOTA_EXCEEDED' }),
    ]);
    expect(await (await post('/execute', bob, 'return 2')).json()).toMatchObject({ status: 'completed', value: 2 });
    const counted = await (await fetch(`${url}/metrics`, { headers: bob })).text();
    expect(counted).toMatch(/toolwright_quota_refusals_total\{scope="user",quota="concurrent_executions"\} [1-9]/);
    await stop();
    await slow;
    ({ url, stop } = await start());
  });

  it('keeps keys and used tokens after a restart', async () => {
    expect((await post('/task', ada)).status).toBe(200);
    await stop();
    ({ url, stop } = await start());
    const refused = await post('/task', ada);
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect((await post('/task', bob)).status).toBe(200);
  });

  it('reveals no path to a client without a key', async () => {
    for (const path of ['/metrics', '/mcp', '/execute', '/nowhere', '/..%2f', '/mcp/../metrics']) {
      const { status, headers } = await fetch(url + path);
      expect([status, headers.get('www-authenticate')], path).toEqual([401, 'Bearer realm="toolwright"']);
    }
  });
});
