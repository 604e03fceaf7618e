import { afterAll, expect, test } from 'vitest';
import type { ListedExecution as Found } from '../../packages/core/src/history/listing/listed-execution.ts';
import { apiKeys } from '../../packages/server/src/auth/api-keys.ts';
import { authentication } from '../../packages/server/src/auth.ts';
import { memoryStore } from '../../packages/storage/src/store.ts';
import { ask, startApi } from '../fixtures/http-server.ts';
import { partial } from '../fixtures/partial.ts';

type ListedExecution = Found & { readonly executionId: string };

const inputSchema = { type: 'object', properties: { to: { type: 'string' } } } as const;
const annotations = { readOnlyHint: true };
const person = { email: 'ann@example.com', note: 'x'.repeat(400) };
const tools = {
  bank: {
    tools: {
      read: { description: 'Reads', inputSchema, annotations, run: async () => person },
      fail: { description: 'Fails', inputSchema, annotations, run: () => Promise.reject(new Error('no account')) },
      pay: { description: 'Pays', inputSchema, run: async () => 'paid' },
    },
  },
};
const limits = { timeoutMs: 240_000 };
const server = await startApi({}, { tools, limits, policy: { preset: 'careful' }, waits: { graceMs: 0 } });
const { url } = server;
afterAll(() => server.close());

const run = async (userId: string, code: string, more: object = {}): Promise<string> =>
  (await ask(`${url}/execute`, { json: { code, userId, check: false, ...more } })).body.executionId;
const list = async (query: string) => (await ask(`${url}/executions?${query}`)).body;
const ids = async (query: string) =>
  (await list(query)).executions.map(({ executionId }: { executionId: string }) => executionId);

/** Returns the queries for the middle of some values and for the largest one, with the executions that they find. */
function atLeast(
  name: string,
  executions: readonly ListedExecution[],
  amountOf: (execution: ListedExecution) => number,
) {
  const values = executions.map((each) => Math.floor(amountOf(each))).sort((a, b) => a - b);
  return values.slice(1).map((least) => {
    const found = executions.filter((each) => amountOf(each) >= least);
    return [`${name}=${least}`, found.map(({ executionId }) => executionId)] as const;
  });
}

test('a list has the calls, costs and personal data of each execution, and every filter selects', async () => {
  const early = new Date().toISOString();
  const reads = await run(
    'ada',
    `await callMCPTool('bank__read', {}); return (await callMCPTool('bank__read', {})).email`,
  );
  const fails = await run('ada', `return callMCPTool('bank__fail', {})`);
  const { sessionId } = (await ask(`${url}/sessions`, { json: { userId: 'ada' } })).body;
  const waits = await run('ada', `return callMCPTool('bank__pay', { to: 'bob' }) // Überweisung`, { sessionId });
  await run('bob', `return 'foreign' // Überweisung`);
  const { executions, total } = await list('userId=ada&total=true');
  expect(total).toBe(3);
  expect(executions).toMatchObject([
    { executionId: waits, status: 'suspended', openQuestions: 1, tools: [{ tool: 'bank__pay', calls: 0, failed: 0 }] },
    { executionId: fails, status: 'failed', toolErrors: 1, error: { code: 'TOOL_FAILED' } },
    { executionId: reads, status: 'completed', userId: 'ada', toolCalls: 2, personalData: { EMAIL: 1 } },
  ]);
  expect(executions[2].preview).toContain('bank__read');
  expect(executions[2].directTokens).toBeGreaterThan(200);
  expect(executions[2].tokens.code).toBeGreaterThan(5);
  for (const [query, expected] of [
    ['status=completed', [reads]],
    ['status=failed,suspended', [waits, fails]],
    ['tool=bank__fail', [fails]],
    ['error=TOOL_FAILED', [fails]],
    ['q=uberweis', [waits]],
    ['q=account', [fails]],
    ['q=bank__read', [reads]],
    ['q=foreign', []],
    ['q=%22%20OR%20*', []],
    ['minTokens=10000', []],
    ...atLeast('minTokens', executions, ({ tokens }) => (tokens ? tokens.code + tokens.output : 0)),
    ...atLeast('minMs', executions, ({ totalMs }) => totalMs ?? 0),
    [`sessionId=${sessionId}`, [waits]],
    ['sessionId=none', []],
    ['minMs=600000', []],
    [`from=${early}`, [waits, fails, reads]],
    [`to=${early}`, []],
    ['status=running', []],
  ] as const) {
    expect([query, await ids(`userId=ada&${query}`)]).toEqual([query, expected]);
  }
  expect(JSON.stringify(executions)).not.toContain('ann@example.com');
  await ask(`${url}/executions/${waits}/decisions?userId=ada`, { json: { action: 'approve' } });
  await ask(`${url}/executions/${waits}/resume?userId=ada`, { json: {} });
  expect(await list('userId=ada&tool=bank__pay')).toMatchObject({
    executions: [{ status: 'completed', openQuestions: 0 }],
  });
  expect((await ask(`${url}/executions/${reads}?userId=ada`, { method: 'DELETE' })).status).toBe(204);
  expect(await ids('userId=ada&q=bank__read')).toEqual([]);
  expect(await list('all=true&total=true')).toMatchObject({ total: 3 });
  for (const query of ['status=done', 'from=yesterday', 'userId=ada&all=true']) {
    expect((await ask(`${url}/executions?${query}`)).status).toBe(400);
  }
});

test('a running execution is in the list, and pages follow each other', async () => {
  const running = run('eve', 'for (;;) await sleep(20)');
  let found: string[] = [];
  while (found.length === 0) found = await ids('userId=eve&status=running');
  expect(await ids('userId=eve&status=interrupted')).toEqual([]);
  await ask(`${url}/executions/${found[0]}/cancel?userId=eve`, { method: 'POST' });
  await running;
  for (let each = 0; each < 4; each++) await run('eve', `return ${each}`);
  const first = await list('userId=eve&limit=3');
  const rest = await list(`userId=eve&limit=3&cursor=${first.nextCursor}`);
  const all = [...first.executions, ...rest.executions].map(({ executionId }) => executionId);
  expect([all.length, new Set(all).size, rest.nextCursor]).toEqual([5, 5, undefined]);
});

test('a key reads its own executions only, unless it may decide for others', async () => {
  const keys = apiKeys(memoryStore());
  const keyOf = async (user: string, scopes: string[] = []) => ({
    authorization: `Bearer ${(await keys.create({ user, scopes })).text}`,
  });
  const [ada, bob, boss] = [await keyOf('ada'), await keyOf('bob'), await keyOf('boss', ['executions:decide'])];
  const logger = { info: () => undefined, error: () => undefined };
  const locked = await startApi({ authenticate: authentication({ keys, logger: partial(logger) }) });
  try {
    await ask(`${locked.url}/execute`, { json: { code: 'return 1' }, headers: ada });
    const seen = async (headers: Record<string, string>, query: string) => {
      const { status, body } = await ask(`${locked.url}/executions?${query}`, { headers });
      return status === 200 ? body.executions.length : status;
    };
    expect([await seen(ada, ''), await seen(bob, ''), await seen(boss, '')]).toEqual([1, 0, 0]);
    expect([await seen(bob, 'userId=ada'), await seen(bob, 'all=true')]).toEqual([403, 403]);
    expect([await seen(boss, 'userId=ada'), await seen(boss, 'all=true')]).toEqual([1, 1]);
    const stream = await ask(`${locked.url}/executions/events?all=true`, { headers: bob });
    expect(stream.status).toBe(403);
  } finally {
    await locked.close();
  }
});
