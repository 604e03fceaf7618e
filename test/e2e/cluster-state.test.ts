import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Desk, openDesk } from '../fixtures/command-line.ts';
import { ask } from '../fixtures/http-server.ts';
import { startHttp, textOf } from '../fixtures/mcp-clients.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../fixtures/postgres.ts';
import { needsRedis, startRedis } from '../fixtures/redis.ts';

const MASTER_KEY = randomBytes(32).toString('base64');
const QUOTA = 6;

/** Returns a `fetch` that sends each request to the next server. */
function alternating(urls: readonly string[]): typeof fetch {
  let count = 0;
  return (target, init) => {
    const path = new URL(String(target instanceof Request ? target.url : target)).pathname;
    return fetch(new URL(path, urls[count++ % urls.length]), init);
  };
}

needsPostgres.describe('two machines with one database', () => {
  let postgres: TestPostgres;
  let store: string;
  let desks: Desk[];
  let urls: string[];
  const stops: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    postgres = await startPostgres();
    store = await postgres.create();
    desks = [openDesk({}), openDesk({})];
    for (const { env } of desks) {
      env.TOOLWRIGHT_STORE = store;
      env.TOOLWRIGHT_MASTER_KEY = MASTER_KEY;
    }
    const servers = await Promise.all(desks.map((desk) => startHttp(desk, ['--sandbox', 'quickjs'])));
    for (const { stop } of servers) stops.push(stop);
    urls = servers.map(({ url }) => url);
  });
  afterAll(async () => {
    await Promise.all(stops.map((stop) => stop()));
    await postgres?.stop();
  });

  it.each(['modern', 'legacy'] as const)('serve each request of a %s client on either machine', async (era) => {
    const mode = era === 'legacy' ? era : { pin: '2026-07-28' };
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const transport = new StreamableHTTPClientTransport(new URL(urls[0] ?? ''), { fetch: alternating(urls) });
    await client.connect(transport);
    const values: string[] = [];
    for (let round = 0; round < 6; round++) {
      const code = `return 'sum ' + (${round} + 40)`;
      values.push(textOf(await client.callTool({ name: 'execute_code', arguments: { code } })));
    }
    for (const [round, value] of values.entries()) expect(value).toContain(`sum ${round + 40}`);
    // Both machines ran programs, and both count them together.
    const costs = await client.callTool({ name: 'get_execution_stats', arguments: {} });
    expect(JSON.parse(textOf(costs)).executions).toBeGreaterThanOrEqual(6);
    await client.close();
  });

  it('end the session of an older client together, and answer an unknown one with 404', async () => {
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    const post = (url: string, body: object, session?: string) =>
      fetch(url, {
        method: 'POST',
        headers: { ...headers, ...(session === undefined ? {} : { 'mcp-session-id': session }) },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
      });
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const [one = '', two = ''] = urls;
    const begun = await post(one, { method: 'initialize', params });
    await begun.text();
    const session = begun.headers.get('mcp-session-id') ?? '';
    const pings = await Promise.all([one, two, two].map((url, id) => post(url, { method: 'ping', id }, session)));
    expect(await Promise.all(pings.map(async (answer) => [answer.status, await answer.text()]))).toEqual(
      Array.from({ length: 3 }, () => [200, expect.stringContaining('"result"')]),
    );
    await fetch(one, { method: 'DELETE', headers: { ...headers, 'mcp-session-id': session } });
    const ended = await post(one, { method: 'ping' }, session);
    const unknown = await post(two, { method: 'ping' }, 'unknown');
    for (const answer of [ended, unknown]) {
      expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('Send initialize')]);
    }
  });

  it('accept a login of the dashboard that the other machine started, once', async () => {
    const [one = '', two = ''] = urls.map((url) => new URL(url).origin);
    const made = await desks[0]?.run(['dashboard', '--print']);
    const token = /[#?&]token=([\w-]{43})/.exec(`${made?.out}${made?.err}`)?.[1] ?? '';
    const login = (url: string) =>
      fetch(`${url}/dashboard/session`, {
        method: 'POST',
        headers: { origin: url, 'x-toolwright-dashboard': '1', 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      });
    const started = await login(two);
    expect([started.status, (await login(one)).status]).toEqual([200, 401]);
    const cookie = started.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const seen = await Promise.all([one, two].map((url) => ask(`${url}/dashboard/session`, { headers: { cookie } })));
    expect(seen.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('count the running programs of the whole cluster in the usage', async () => {
    const [one = '', two = ''] = urls.map((url) => new URL(url).origin);
    const queue = async () => (await ask(`${two}/usage`)).body.queue;
    expect(await queue()).toEqual({ running: 0, waiting: 0 });
    const running = ask(`${one}/execute`, { json: { code: 'for (;;) await sleep(20)', check: false } });
    await expect.poll(queue, { timeout: 20_000 }).toEqual({ running: 1, waiting: 0 });
    const found = await ask(`${two}/executions?status=running`);
    for (const { executionId } of found.body.executions)
      await ask(`${two}/executions/${executionId}/cancel`, { method: 'POST' });
    await running;
    await expect.poll(queue, { timeout: 20_000 }).toEqual({ running: 0, waiting: 0 });
  });

  it('have the same key of journals, and refuse a machine with another master key', async () => {
    const [first, second] = desks.map(({ folder }) => readFileSync(join(folder, 'state/toolwright/journal.key')));
    expect(second).toEqual(first);
    const stranger = openDesk({});
    stranger.env.TOOLWRIGHT_STORE = store;
    stranger.env.TOOLWRIGHT_MASTER_KEY = randomBytes(32).toString('base64');
    const refused = await stranger.run(['serve', '--port', '0']);
    expect([refused.code, refused.err]).toEqual([
      expect.any(Number),
      expect.stringContaining('Set TOOLWRIGHT_MASTER_KEY'),
    ]);
    expect(refused.code).not.toBe(0);
    expect(refused.err).not.toMatch(/^\s+at /m);
    stranger.env.TOOLWRIGHT_STORE = `${store}&cluster=blue`;
    const other = await stranger.run(['serve', '--port', '0']);
    expect(other.err).toContain('belongs to the cluster "toolwright"');
  });

  needsRedis.it(
    'count the requests of a user together in Redis, also after it was emptied, and answer 503 without it',
    async () => {
      const own = await postgres.create();
      const redis = await startRedis();
      stops.push(redis.stop);
      const limited = [openDesk(), openDesk()];
      for (const desk of limited) {
        desk.write('toolwright.json', { mcpServers: {}, rateLimits: { user: { requestsPerMinute: QUOTA } } });
        Object.assign(desk.env, {
          TOOLWRIGHT_STORE: own,
          TOOLWRIGHT_MASTER_KEY: MASTER_KEY,
          TOOLWRIGHT_REDIS: redis.url,
        });
      }
      const created = await limited[0]?.run(['keys', 'create', '--user', 'ada', '--json']);
      const headers = { authorization: `Bearer ${JSON.parse(created?.out ?? '').key}` };
      const servers = await Promise.all(limited.map((desk) => startHttp(desk, ['--sandbox', 'quickjs'])));
      for (const { stop } of servers) stops.push(stop);
      const get = async (index: number) =>
        (await ask((servers[index % 2]?.url ?? '').replace(/mcp$/, 'sessions'), { headers })).status;
      const round = async () => {
        const statuses: number[] = [];
        for (let index = 0; index < QUOTA + 2; index++) statuses.push(await get(index));
        return statuses;
      };
      const counted = await round();
      // A minute may end between two requests.
      expect(counted.filter((status) => status === 429).length).toBeGreaterThan(0);
      expect(new Set(counted)).toEqual(new Set([200, 429]));
      await redis.restart();
      await expect.poll(() => get(0), { timeout: 20_000 }).toBe(200);
      await redis.kill();
      expect([await get(0), await get(1)]).toEqual([503, 503]);
      await redis.restart();
      await expect.poll(() => get(1), { timeout: 20_000 }).toBe(200);
    },
  );
});
