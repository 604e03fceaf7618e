import { afterAll, expect, test } from 'vitest';
import { ask, startApi } from '../fixtures/http-server.ts';

const annotations = { readOnlyHint: true };
const list = Array.from({ length: 200 }, (_, each) => ({
  id: each,
  name: `row ${each}`,
  email: `p${each % 3}@example.com`,
}));
const inputSchema = { type: 'object' } as const;
const crm = {
  tools: {
    list: { description: 'Lists', inputSchema, annotations, run: async () => list },
    fail: { description: 'Fails', inputSchema, annotations, run: () => Promise.reject(new Error('down')) },
  },
};
const server = await startApi({}, { tools: { crm } });
const { url } = server;
afterAll(() => server.close());
const run = (userId: string, code: string, more: object = {}) =>
  ask(`${url}/execute`, { json: { code, userId, check: false, ...more } });

await run('ada', `return (await callMCPTool('crm__list', {})).length`);
await run('ada', `return callMCPTool('crm__fail', {})`);
await run('=cmd|x', `return 1`);
await run('ada', `return callMCPTool('crm__list', {})`, { dryRun: true });

test('the usage of a user has executions, saved tokens, personal data and tools, and nothing of others', async () => {
  const { status, body } = await ask(`${url}/usage?userId=ada`);
  expect(status).toBe(200);
  expect(body.totals).toMatchObject({ executions: 2, completed: 1, failed: 1, open: 0, toolCalls: 2, toolErrors: 1 });
  expect(body.totals.p95Ms).toBeGreaterThanOrEqual(body.totals.p50Ms);
  const { directTokens, usedTokens, savedTokens } = body.totals;
  // 200 rows, of which the program returned a number.
  expect(directTokens).toBeGreaterThan(1_500);
  expect([savedTokens, savedTokens > 1_000]).toEqual([directTokens - usedTokens, true]);
  expect(body).toMatchObject({ personalData: { EMAIL: 3 }, queue: { waiting: 0 }, bucket: 'day', tasks: { count: 0 } });
  expect(body.series).toMatchObject([{ executions: 2 }]);
  expect(body.tools).toHaveLength(2);
  const p50Ms = expect.any(Number);
  expect(body.tools).toContainEqual({ tool: 'crm__list', calls: 1, failed: 0, p50Ms, p95Ms: p50Ms });
  expect(body.tools).toContainEqual({ tool: 'crm__fail', calls: 1, failed: 1 });
  expect(body.users).toMatchObject([{ userId: 'ada', executions: 2 }]);
  const all = await ask(`${url}/usage?all=true&bucket=hour`);
  expect(all.body).toMatchObject({ totals: { executions: 3 }, bucket: 'hour' });
  expect(all.body.users).toHaveLength(2);
  const before = new Date(Date.now() - 3_600_000).toISOString();
  expect((await ask(`${url}/usage?userId=ada&to=${before}`)).body.totals.executions).toBe(0);
});

test('CSV has a line per user and time, whose columns add up to the report, and no formulas', async () => {
  await ask(`${url}/task`, { json: { task: 'return 1', userId: 'ada' } });
  const report = (await ask(`${url}/usage?all=true`)).body;
  const { body, headers } = await ask(`${url}/usage?all=true`, { headers: { accept: 'text/csv' } });
  expect(headers.get('content-type')).toContain('text/csv');
  const [names = [], ...rows] = body
    .trim()
    .split('\r\n')
    .map((line: string) => line.split(','));
  expect(names.slice(0, 3)).toEqual(['at', 'userId', 'executions']);
  expect(rows.map(([, user]: string[]) => user).sort()).toEqual(["'=cmd|x", 'ada']);
  const sumOf = (name: string) =>
    rows.reduce((sum: number, row: string[]) => sum + Number(row[names.indexOf(name)]), 0);
  const { totals, tasks, personalData, tools } = report;
  for (const name of [
    'executions',
    'completed',
    'failed',
    'toolCalls',
    'toolErrors',
    'directTokens',
    'usedTokens',
    'savedTokens',
  ])
    expect([name, sumOf(name)]).toEqual([name, totals[name]]);
  expect([sumOf('tasks'), sumOf('inputTokens'), sumOf('costUsd'), sumOf('unpriced')]).toEqual([1, 10, 0.002, 0]);
  expect(tasks).toEqual({ count: 1, inputTokens: 10, outputTokens: 5, costUsd: 0.002, unpriced: 0 });
  expect([sumOf('personalData.EMAIL'), sumOf('calls.crm__list'), sumOf('calls.crm__fail')]).toEqual([3, 1, 1]);
  expect([Object.keys(personalData), tools.length]).toEqual([['EMAIL'], 2]);
  // Every row has every column, and only a report of too many tasks is marked.
  for (const row of rows) expect([row.length, row[names.indexOf('isPartial')]]).toEqual([names.length, '']);
});

test('the queue is that of the whole cluster, where the process is in one', async () => {
  const counts = { ready: 7, running: 3, waiting: 20, oldestReadyMs: 1, leaseAgeMs: 1 };
  const member = await startApi({ cluster: { role: 'api', redis: 'none', counts: async () => counts } });
  try {
    expect((await ask(`${member.url}/usage`)).body.queue).toEqual({ running: 3, waiting: 7 });
  } finally {
    await member.close();
  }
});

test.each([
  'from=x',
  'bucket=week',
  'from=2020-01-01T00:00:00Z&bucket=hour',
  'to=2020-01-01T00:00:00Z&from=2021-01-01T00:00:00Z',
])('the query %s is a mistake', async (query) => expect((await ask(`${url}/usage?${query}`)).status).toBe(400));
