import { afterAll, expect, test } from 'vitest';
import { apiKeys } from '../../packages/server/src/auth/api-keys.ts';
import { authentication } from '../../packages/server/src/auth.ts';
import { memoryStore } from '../../packages/storage/src/store.ts';
import { ask, startApi } from '../fixtures/http-server.ts';
import { partial } from '../fixtures/partial.ts';

const inputSchema = { type: 'object', properties: { to: { type: 'string' } } } as const;
const sent: unknown[] = [];
const keys = apiKeys(memoryStore());
const keyOf = async (user: string, scopes: string[] = []) => ({
  authorization: `Bearer ${(await keys.create({ user, scopes })).text}`,
});
const [ada, bob, boss] = [await keyOf('ada'), await keyOf('bob'), await keyOf('boss', ['executions:decide'])];
const annotations = { readOnlyHint: true };
const bank = {
  tools: {
    pay: { description: 'Pays', inputSchema, run: async (args: unknown) => sent.push(args) },
    close: { description: 'Closes', inputSchema, run: async (args: unknown) => sent.push(args) },
    who: { description: 'Reads', inputSchema, annotations, run: async () => ({ email: 'ann@example.com' }) },
  },
};
const logger = { info: () => undefined, error: () => undefined };
const server = await startApi(
  { authenticate: authentication({ keys, logger: partial(logger) }) },
  { tools: { bank }, policy: { preset: 'careful' }, waits: { graceMs: 0 } },
);
const { url } = server;
afterAll(() => server.close());

type Headers = Record<string, string>;
const wait = async (headers: Headers, code: string, more: object = {}): Promise<string> =>
  (await ask(`${url}/execute`, { json: { code, check: false, ...more }, headers })).body.executionId;
const pay = (to: string, tool = 'pay') => `return callMCPTool('bank__${tool}', { to: '${to}' })`;
const queue = async (headers: Headers, query = '') => (await ask(`${url}/approvals?${query}`, { headers })).body;
const decide = (headers: Headers, json: object) => ask(`${url}/approvals/decisions`, { json, headers });
const resume = (headers: Headers, id: string) => ask(`${url}/executions/${id}/resume`, { json: {}, headers });
interface Shown {
  readonly executionId: string;
  readonly userId: string;
  readonly call: number;
  readonly binding: string;
}
const itemOf = ({ executionId, userId, call, binding }: Shown) => ({ executionId, userId, call, binding });

test('one queue has the questions of all users for an approver, and the own ones for others', async () => {
  const session = (await ask(`${url}/sessions`, { json: {}, headers: ada })).body.sessionId;
  const personal = `return callMCPTool('bank__pay', { to: (await callMCPTool('bank__who', {})).email })`;
  const first = await wait(ada, personal, { sessionId: session });
  const second = await wait(bob, pay('carl', 'close'));
  const own = await queue(ada);
  expect(own).toMatchObject({
    total: 1,
    approvals: [
      { executionId: first, userId: 'ada', call: 2, kind: 'approval', tool: 'bank__pay', sessionId: session },
    ],
  });
  expect(own.approvals[0]).toMatchObject({ rule: expect.any(String), preview: personal, askedAt: expect.any(String) });
  expect(own.approvals[0].arguments.to).toMatch(/^\[EMAIL_\d+\]$/);
  expect((await queue(bob, 'all=true')).code).toBe('FORBIDDEN');
  expect((await queue(bob, 'arguments=real')).approvals[0].arguments).toEqual({ to: 'carl' });
  const all = await queue(boss, 'all=true&arguments=real');
  expect(all.approvals.map(({ executionId }: Shown) => executionId)).toEqual([first, second]);
  expect(all.approvals[0].arguments).toEqual({ to: 'ann@example.com' });
  const shown = server.logged.filter((line) => line.includes('real arguments')).map((line) => JSON.parse(line));
  expect(shown.at(-1)).toMatchObject({ by: { user: 'boss' }, executionIds: [first, second] });
  expect((await queue(boss, 'all=true&tool=bank__close')).total).toBe(1);
  expect((await queue(boss, 'all=true&kind=input')).total).toBe(0);
  const named = { action: 'deny', items: [itemOf(own.approvals[0])] };
  expect((await decide(bob, named)).status).toBe(403);
  expect((await decide(boss, named)).body).toEqual({
    decided: [{ executionId: first, userId: 'ada', call: 2 }],
    refused: [],
  });
  expect((await queue(boss, 'all=true')).total).toBe(1);
  await decide(bob, { action: 'deny', items: (await queue(bob)).approvals.map(itemOf) });
  expect(sent).toEqual([]);
});

test('those that match and were shown are decided, the oldest first; others stay open', async () => {
  sent.length = 0;
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) ids.push(await wait(ada, pay(name)));
  const closes = await wait(ada, pay('d', 'close'));
  const bindings = (await queue(ada)).approvals.map(({ binding }: Shown) => binding);
  const late = await wait(ada, pay('late'));
  const filter = { tool: 'bank__pay' };
  const two = await decide(ada, { action: 'approve', filter, limit: 2, bindings, note: 'fine' });
  expect(two.body.decided.map(({ executionId }: Shown) => executionId)).toEqual(ids.slice(0, 2));
  const rest = await decide(ada, { action: 'approve', filter, bindings });
  expect(rest.body.decided.map(({ executionId }: Shown) => executionId)).toEqual(ids.slice(2));
  const open = (await queue(ada)).approvals.map(({ executionId }: Shown) => executionId);
  expect(open).toEqual([closes, late]);
  for (const id of ids) expect((await resume(ada, id)).body.status).toBe('completed');
  expect(sent).toEqual([{ to: 'a' }, { to: 'b' }, { to: 'c' }]);
  expect((await decide(bob, { action: 'approve', filter: {}, bindings })).body).toEqual({ decided: [], refused: [] });
  for (const json of [{}, { action: 'approve' }, { action: 'approve', filter: {} }, { action: 'approve', items: [] }]) {
    expect((await decide(ada, json)).status).toBe(422);
  }
});

test('of two approvers at once one decides, and an ended or changed question is a conflict', async () => {
  const id = await wait(ada, pay('once'));
  const [shown] = (await queue(ada, `executionId=${id}`)).approvals;
  const items = [itemOf(shown)];
  const answers = await Promise.all([
    decide(boss, { action: 'approve', items }),
    decide(ada, { action: 'deny', items: items.map((item) => ({ ...item, userId: 'ada' })) }),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(answers.find(({ status }) => status === 409)?.body.code).toBe('ALREADY_DECIDED');
  await resume(ada, id);
  const late = await decide(boss, { action: 'approve', items });
  expect([late.status, late.body.code]).toEqual([409, 'EXECUTION_ENDED']);
  const other = await wait(ada, pay('other'));
  const [open] = (await queue(ada, `executionId=${other}`)).approvals;
  const changed = await decide(ada, { action: 'approve', items: [{ ...itemOf(open), binding: 'x' }] });
  expect([changed.status, changed.body.code]).toEqual([409, 'QUESTION_CHANGED']);
  const mixed = await decide(boss, { action: 'deny', items: [...items, itemOf(open)] });
  expect(mixed.body).toMatchObject({
    decided: [{ executionId: other }],
    refused: [{ executionId: id, code: 'EXECUTION_ENDED' }],
  });
});

test('pages go on after the last question, also when earlier ones are decided meanwhile', async () => {
  const earlier = (await queue(bob)).total;
  const names = ['p', 'q', 'r'];
  for (const name of names) await wait(bob, pay(name));
  const first = await queue(bob, 'limit=2');
  expect([earlier, first.total, first.approvals.map(({ arguments: { to } }: never) => to)]).toEqual([0, 3, ['p', 'q']]);
  await decide(bob, { action: 'deny', items: [itemOf(first.approvals[0])] });
  const second = await queue(bob, `limit=2&cursor=${first.nextCursor}`);
  expect(second).toMatchObject({ total: 2, approvals: [{ arguments: { to: 'r' } }] });
  expect([second.nextCursor, second.isPart]).toEqual([undefined, undefined]);
  expect((await ask(`${url}/approvals?cursor=x`, { headers: bob })).status).toBe(400);
  await decide(bob, { action: 'deny', items: (await queue(bob)).approvals.map(itemOf) });
});

test('decided questions name the person, also before the execution goes on; other users see nothing', async () => {
  const id = await wait(
    ada,
    `return Promise.all(['x', 'y'].map((to) => callMCPTool('bank__pay', { to }))).catch(({ code }) => code)`,
  );
  const decisionsFor = async (headers: Headers, query = '', of = id) => {
    const { status, body } = await ask(`${url}/executions/${of}/decisions?${query}`, { headers });
    return status === 200 ? [body.userId, body.status, body.decisions] : [status, body.code];
  };
  expect(await decisionsFor(ada)).toEqual(['ada', 'suspended', []]);
  const [one] = (await queue(ada, `executionId=${id}`)).approvals;
  const json = { action: 'approve', calls: [one.call], bindings: [one.binding], covers: { next: 1 }, note: 'fine' };
  await ask(`${url}/executions/${id}/decisions?userId=ada`, { json, headers: boss });
  const made = { kind: 'approval', tool: 'bank__pay', action: 'approve', by: 'boss', note: 'fine' };
  const at = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(await decisionsFor(ada)).toEqual(['ada', 'suspended', [{ call: 1, ...made, at }]]);
  expect((await resume(ada, id)).body.status).toBe('completed');
  const both = [1, 2].map((call) => ({ call, ...made, at }));
  expect(await decisionsFor(boss, 'all=true')).toEqual(['ada', 'completed', both]);
  expect(await decisionsFor(boss, 'userId=ada')).toEqual(['ada', 'completed', both]);
  expect(await decisionsFor(bob)).toEqual([404, 'UNKNOWN_EXECUTION']);
  expect(await decisionsFor(bob, 'all=true')).toEqual([403, 'FORBIDDEN']);
  for (const of of ['none', crypto.randomUUID()])
    expect(await decisionsFor(boss, 'all=true', of)).toEqual([404, 'UNKNOWN_EXECUTION']);
});

test.each(['one by one', 'by list', 'by filter'] as const)('decisions %s have the same guarantees', async (way) => {
  sent.length = 0;
  const id = await wait(ada, `${pay('guarded')}.catch(({ message }) => message)`);
  const [shown] = (await queue(ada, `executionId=${id}`)).approvals;
  const send = async (headers: Headers, binding: string, action = 'approve') => {
    const more = { action, note: 'seen' };
    const query = headers === ada ? '' : '?userId=ada';
    if (way === 'one by one')
      return ask(`${url}/executions/${id}/decisions${query}`, {
        json: { ...more, calls: [1], bindings: [binding] },
        headers,
      });
    if (way === 'by list') return decide(headers, { ...more, items: [{ ...itemOf(shown), binding }] });
    return decide(headers, { ...more, filter: { executionId: id, userId: 'ada' }, bindings: [binding] });
  };
  const decidedIn = ({ status, body }: Awaited<ReturnType<typeof send>>) =>
    status === 200 ? (body.calls ?? body.decided).length : body.code;
  const nothing = (code: string) => (way === 'by filter' ? 0 : code);
  expect(decidedIn(await send(bob, shown.binding))).toBe('FORBIDDEN');
  expect(decidedIn(await send(ada, 'other'))).toBe(nothing('QUESTION_CHANGED'));
  const both = await Promise.all([send(boss, shown.binding), send(boss, shown.binding)]);
  expect(both.map(decidedIn).filter((number) => number === 1)).toHaveLength(1);
  expect(decidedIn(await send(ada, shown.binding, 'deny'))).toBe(nothing('ALREADY_DECIDED'));
  expect((await resume(ada, id)).body).toMatchObject({ status: 'completed', value: 1 });
  expect(sent).toEqual([{ to: 'guarded' }]);
  expect(decidedIn(await send(ada, shown.binding))).toBe(nothing('EXECUTION_ENDED'));
  const { body } = await ask(`${url}/executions/${id}/journal?entry=decision`, { headers: ada });
  expect(body.entries).toMatchObject([{ number: expect.any(Number), action: 'approve', by: 'boss', note: 'seen' }]);
  const long = { action: 'deny', note: 'x'.repeat(4_001) };
  const bodies = [
    { ...long, calls: [1] },
    { ...long, items: [itemOf(shown)] },
  ];
  const statuses = await Promise.all([
    ask(`${url}/executions/${id}/decisions`, { json: bodies[0], headers: ada }),
    decide(ada, bodies[1] ?? {}),
  ]);
  expect(statuses.map(({ status }) => status)).toEqual([422, 422]);
});
