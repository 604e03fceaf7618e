import { afterAll, beforeAll, expect, test } from 'vitest';
import { n8nPlugin } from '../../packages/n8n/src/plugin.ts';
import { apiKeys } from '../../packages/server/src/auth/api-keys.ts';
import { authentication } from '../../packages/server/src/auth.ts';
import { memoryStore } from '../../packages/storage/src/store.ts';
import { ask, type HttpServer, startApi } from '../fixtures/http-server.ts';
import { partial } from '../fixtures/partial.ts';

const logger = { info: () => undefined, error: () => undefined };
const keys = apiKeys(memoryStore());
const keyOf = async (user: string, ...scopes: string[]) => ({
  authorization: `Bearer ${(await keys.create({ user, scopes })).text}`,
});
let server: HttpServer;
const of: Record<string, { authorization: string }> = {};
const sessions: string[] = [];
beforeAll(async () => {
  server = await startApi(
    { authenticate: authentication({ keys, logger: partial(logger) }) },
    { plugins: [n8nPlugin({ catalog: 'example' })] },
  );
  for (const user of ['ann', 'bob']) of[user] = await keyOf(user);
  of.boss = await keyOf('boss', 'executions:decide');
  const { toolwright } = server;
  for (const [user, name] of [
    ['ann', 'First'],
    ['ann', 'Second of ada@example.org'],
    ['bob', 'Of Bob'],
  ] as const) {
    const { id: sessionId } = await toolwright.sessions.create({ userId: user });
    sessions.push(sessionId);
    const code = `
      import { buildWorkflow, validateWorkflow } from './servers/n8n-workflows/index.js';
      await validateWorkflow(await buildWorkflow('${name}', [{ type: 'webhook', parameters: { path: 'p' } }, 'httpRequest']));`;
    expect(await toolwright.execute(code, { userId: user, sessionId, check: false })).toMatchObject({
      status: 'completed',
    });
  }
  await toolwright.execute('return 1', { userId: 'ann', check: false });
});
afterAll(() => server.close());
const get = (user: string, path: string) => ask(`${server.url}${path}`, { headers: of[user] ?? {} });
const namesOf = async (user: string, query = '') =>
  (await get(user, `/pages/n8n-drafts${query}`)).body.graphs.map(({ name }: { name: string }) => name);

test('the pages of plugins are listed, and an unknown one is not found', async () => {
  expect((await get('ann', '/pages')).body.pages).toEqual([
    { key: 'n8n-drafts', title: 'n8n drafts', emptyText: expect.stringContaining('buildWorkflow') },
  ]);
  for (const path of ['/pages/none', '/pages/none/x/1']) {
    expect(await get('ann', path)).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining('GET /pages') },
    });
  }
});

test('a user lists the own drafts, redacted, newest first and by session', async () => {
  expect(await namesOf('ann')).toEqual(['Second of [EMAIL_1]', 'First']);
  expect(await namesOf('ann', `?sessionId=${sessions[0]}`)).toEqual(['First']);
  expect(await namesOf('ann', `?sessionId=${sessions[2]}`)).toEqual([]);
  const { body } = await get('ann', '/pages/n8n-drafts?limit=1');
  expect(body).toMatchObject({
    graphs: [
      { userId: 'ann', sessionId: sessions[1], call: 1, steps: ['built', 'validated'], errors: 1, nodeCount: 2 },
    ],
    omitted: 0,
  });
  expect(await namesOf('ann', `?limit=1&cursor=${body.nextCursor}`)).toEqual(['First']);
  expect(body.graphs[0]).not.toHaveProperty('nodes');
});

test('a draft has its nodes, connections and problems, and no parameters', async () => {
  const [{ executionId, call }] = (await get('ann', '/pages/n8n-drafts')).body.graphs;
  const { status, body } = await get('ann', `/pages/n8n-drafts/${executionId}/${call}`);
  expect([status, body.name]).toEqual([200, 'Second of [EMAIL_1]']);
  expect(body.nodes).toEqual([
    { name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: expect.any(Number), disabled: false },
    { name: 'HTTP Request', type: 'n8n-nodes-base.httpRequest', typeVersion: expect.any(Number), disabled: false },
  ]);
  expect(body.connections).toEqual([{ from: 'Webhook', to: 'HTTP Request', type: 'main', output: 0, input: 0 }]);
  expect(body.problems).toMatchObject([{ level: 'error', code: 'PARAMETER_REQUIRED', node: 'HTTP Request' }]);
  expect((await get('ann', `/pages/n8n-drafts/${executionId}/2`)).body.code).toBe('UNKNOWN_EXECUTION');
});

test('drafts of other users are for keys with the scope executions:decide only', async () => {
  const [{ executionId, call }] = (await get('bob', '/pages/n8n-drafts')).body.graphs;
  const path = `/pages/n8n-drafts/${executionId}/${call}`;
  expect((await get('ann', path)).status).toBe(404);
  expect((await get('ann', `${path}?userId=bob`)).status).toBe(403);
  expect((await get('ann', '/pages/n8n-drafts?userId=bob')).status).toBe(403);
  expect((await get('ann', '/pages/n8n-drafts?all=true')).status).toBe(403);
  expect((await get('boss', `${path}?userId=bob`)).body.name).toBe('Of Bob');
  expect(await namesOf('boss', '?all=true')).toEqual(['Of Bob', 'Second of [EMAIL_1]', 'First']);
  expect((await ask(`${server.url}/pages/n8n-drafts`)).status).toBe(401);
});
