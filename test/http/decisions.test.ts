import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { apiKeys } from '../../packages/server/src/auth/api-keys.ts';
import { authentication } from '../../packages/server/src/auth.ts';
import { memoryStore } from '../../packages/storage/src/store.ts';
import { ask, startApi } from '../fixtures/http-server.ts';
import { partial } from '../fixtures/partial.ts';
import { fixture, temporaryFile } from '../fixtures/server.ts';

const effects: unknown[] = [];
const inputSchema = { type: 'object', properties: { to: { type: 'string' } } } as const;
const pay = { description: 'Pays', inputSchema, run: async (args: unknown) => effects.push(args) };
const server = await startApi(
  {},
  { tools: { bank: { tools: { pay } } }, policy: { preset: 'careful' }, waits: { graceMs: 0 } },
);
const { url } = server;
afterAll(() => server.close());

const PROGRAM = `return callMCPTool('bank__pay', { to: 'ann' }).catch(({ code }) => code)`;
const start = async (userId: string) => {
  const { status, body } = await ask(`${url}/execute`, { json: { code: PROGRAM, userId } });
  expect([status, body.status, body.waitingFor]).toEqual([200, 'suspended', ['approval']]);
  return `${url}/executions/${body.executionId}`;
};

test('a call waits until its user approves it over HTTP', async () => {
  const place = await start('ada');
  expect((await ask(`${place}?userId=ada`)).body.status).toBe('suspended');
  const { body } = await ask(`${place}/questions?userId=ada`);
  expect(body.questions).toMatchObject([{ call: 1, kind: 'approval', tool: 'bank__pay', arguments: { to: 'ann' } }]);
  expect((await ask(`${place}/decisions?userId=ada`, { json: { action: 'approve' } })).body).toEqual({ calls: [1] });
  const again = await ask(`${place}/decisions?userId=ada`, { json: { action: 'deny', calls: [1] } });
  expect([again.status, again.body.code]).toEqual([409, 'ALREADY_DECIDED']);
  expect(effects).toEqual([]);
  expect((await ask(`${place}/resume?userId=ada`, { json: {} })).body).toMatchObject({ status: 'completed', value: 1 });
  expect(effects).toEqual([{ to: 'ann' }]);
  const late = await ask(`${place}/decisions?userId=ada`, { json: { action: 'approve' } });
  expect([late.status, late.body.code]).toEqual([409, 'EXECUTION_ENDED']);
});

test.each(['modern', 'legacy'] as const)('a question of a %s server is answered over HTTP', async (era) => {
  const file = temporaryFile();
  const mcpServers = { ask: { ...fixture('asking', era, file), protocol: era } };
  const asking = await startApi({}, { mcpServers, check: false, waits: { graceMs: 0 } });
  const code = `return callMCPTool('ask__book', {})`;
  const { body } = await ask(`${asking.url}/execute`, { json: { code, userId: 'ada' } });
  expect(body).toMatchObject({ status: 'suspended', waitingFor: ['input'] });
  const place = `${asking.url}/executions/${body.executionId}`;
  const { questions } = (await ask(`${place}/questions?userId=ada`)).body;
  expect(questions).toMatchObject([{ call: 1, kind: 'input', details: { server: 'ask', mode: 'form' } }]);
  const decide = (value: unknown, userId = 'ada') =>
    ask(`${place}/decisions?userId=${userId}`, { json: { action: 'answer', value, calls: [1] } });
  const wrong = await decide({ email: 'ada', seats: 40 });
  expect([wrong.status, wrong.body.detail]).toEqual([422, expect.stringContaining('seats: must be at most 9')]);
  expect((await decide({ email: 'eve@example.com' }, 'eve')).status).toBe(404);
  expect((await decide({ email: 'ada@example.com' })).body).toEqual({ calls: [1] });
  const ended = await ask(`${place}/resume?userId=ada`, { json: {} });
  expect(ended.body).toMatchObject({ status: 'completed', value: expect.stringMatching(/^book for \[EMAIL_\d+\]$/) });
  expect(JSON.stringify(ended.body)).not.toContain('ada@example.com');
  expect(readFileSync(file, 'utf8')).toBe('book [{"email":"ada@example.com","seats":2,"class":"eco"}]\n');
  await asking.close();
});

test('an approval that lasts is listed, holds for later executions, and can be revoked', async () => {
  const place = await start('lia');
  const always = { arguments: 'exact' };
  const decided = await ask(`${place}/decisions?userId=lia`, { json: { action: 'approve', always } });
  expect(decided.body).toEqual({ calls: [1] });
  const listed = (await ask(`${url}/lasting-decisions?userId=lia`)).body.decisions;
  expect(listed).toMatchObject([{ tool: 'bank__pay', arguments: 'exact', by: expect.any(String) }]);
  const again = await ask(`${url}/execute`, { json: { code: PROGRAM, userId: 'lia' } });
  expect(again.body.status).toBe('completed');
  const revoke = (userId: string) =>
    ask(`${url}/lasting-decisions/${listed[0].id}?userId=${userId}`, { method: 'DELETE' });
  expect((await revoke('eve')).status).toBe(422);
  expect((await revoke('lia')).body).toMatchObject({ tool: 'bank__pay' });
  await start('lia');
  const wrong = await ask(`${place}/decisions?userId=lia`, { json: { action: 'deny', always } });
  expect(wrong.status).toBeGreaterThanOrEqual(400);
});

test('the id of an execution gives other users no right to see or decide', async () => {
  const place = await start('ada');
  for (const answer of [
    await ask(`${place}/questions?userId=eve`),
    await ask(`${place}/decisions?userId=eve`, { json: { action: 'approve' } }),
    await ask(`${place}/resume?userId=eve`, { json: {} }),
  ]) {
    expect([answer.status, answer.body.code]).toEqual([404, 'UNKNOWN_EXECUTION']);
  }
  expect((await ask(`${place}/cancel?userId=ada`, { json: {} })).status).toBe(202);
  expect((await ask(`${place}?userId=ada`)).body.status).toBe('cancelled');
});

test('a key with the scope executions:decide sees the real arguments of other users, and decides for them', async () => {
  effects.length = 0;
  const keys = apiKeys(memoryStore());
  const keyOf = async (user: string, scopes: string[] = []) => {
    const { text } = await keys.create({ user, scopes });
    return { authorization: `Bearer ${text}` };
  };
  const [ada, bob, boss] = [await keyOf('ada'), await keyOf('bob'), await keyOf('boss', ['executions:decide'])];
  const annotations = { readOnlyHint: true };
  const customer = { description: 'Reads', inputSchema, annotations, run: async () => ({ email: 'ann@example.com' }) };
  const tools = { bank: { tools: { pay, customer } } };
  const logger = { info: () => undefined, error: () => undefined };
  const locked = await startApi(
    { authenticate: authentication({ keys, logger: partial(logger) }) },
    { tools, policy: { preset: 'careful' }, waits: { graceMs: 0 } },
  );
  try {
    const session = await ask(`${locked.url}/sessions`, { json: {}, headers: ada });
    const code = `return callMCPTool('bank__pay', { to: (await callMCPTool('bank__customer')).email })`;
    const json = { code, sessionId: session.body.sessionId };
    const { executionId } = (await ask(`${locked.url}/execute`, { json, headers: ada })).body;
    const place = `${locked.url}/executions/${executionId}`;
    const argumentsFor = async (headers: Record<string, string>, query: string) => {
      const { status, body } = await ask(`${place}/questions?${query}`, { headers });
      return status === 200 ? body.questions[0]?.arguments : body.code;
    };
    const redacted = { to: expect.stringMatching(/^\[EMAIL_\d+\]$/) };
    expect(await argumentsFor(ada, '')).toEqual(redacted);
    expect(await argumentsFor(ada, 'arguments=real')).toEqual({ to: 'ann@example.com' });
    expect(await argumentsFor(boss, 'userId=ada')).toEqual(redacted);
    expect(await argumentsFor(boss, 'userId=ada&arguments=real')).toEqual({ to: 'ann@example.com' });
    expect(await argumentsFor(boss, 'arguments=real')).toBe('UNKNOWN_EXECUTION');
    expect(await argumentsFor(bob, 'userId=ada&arguments=real')).toBe('FORBIDDEN');
    expect(await argumentsFor(bob, 'arguments=real')).toBe('UNKNOWN_EXECUTION');
    const shown = locked.logged.filter((line) => line.includes('real arguments'));
    expect(shown.map((line) => JSON.parse(line).by.user)).toEqual(['ada', 'boss']);
    expect(shown.join()).not.toContain('ann@example.com');

    const decide = async (headers: Record<string, string>, query: string) =>
      (await ask(`${place}/decisions?${query}`, { json: { action: 'approve' }, headers })).status;
    expect([await decide(bob, ''), await decide(bob, 'userId=ada')]).toEqual([404, 403]);
    // The scope is for reading and deciding only.
    expect((await ask(`${place}/cancel?userId=ada`, { json: {}, headers: boss })).status).toBe(403);
    const waiting = await ask(`${locked.url}/executions?userId=ada&status=suspended`, { headers: boss });
    expect(waiting.body.executions).toMatchObject([{ executionId }]);
    expect(await decide(boss, 'userId=ada')).toBe(200);
    await ask(`${place}/resume`, { json: {}, headers: ada });
    expect(effects).toEqual([{ to: 'ann@example.com' }]);
  } finally {
    await locked.close();
  }
});

test('a scope that does not exist is a mistake', async () => {
  const created = apiKeys(memoryStore()).create({ user: 'ada', scopes: ['admin'] });
  await expect(created).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: 'There is no scope "admin". The scopes are: executions:read, executions:decide, servers:admin.',
  });
});

test.each<[object, number]>([
  [{}, 422],
  [{ action: 'yes' }, 422],
  [{ action: 'approve', calls: [] }, 422],
  [{ action: 'approve', calls: [7] }, 422],
  [{ action: 'result', value: 1 }, 422],
  [{ action: 'approve', covers: { next: 1, arguments: { propertys: {} } } }, 422],
])('the decision %j is a mistake', async (json, status) => {
  const place = await start('ada');
  const answer = await ask(`${place}/decisions?userId=ada`, { json });
  expect([answer.status, typeof answer.body.detail]).toEqual([status, 'string']);
  expect((await ask(`${place}/questions?userId=ada`)).body.questions).toHaveLength(1);
});

test('a dry run sends nothing, and its approval lets the same program run once', async () => {
  effects.length = 0;
  const execute = async (more: object) => ask(`${url}/execute`, { json: { code: PROGRAM, userId: 'ada', ...more } });
  const { body } = await execute({ dryRun: true });
  expect(body.dryRun.calls).toMatchObject([{ number: 1, tool: 'bank__pay', action: 'ask', isInvented: true }]);
  const place = `${url}/executions/${body.executionId}`;
  expect((await ask(`${place}?userId=ada`)).body).toMatchObject({ isDryRun: true, dryRun: body.dryRun });
  expect((await ask(`${place}/calls?userId=ada`)).body.calls).toMatchObject([{ tool: 'bank__pay', isInvented: true }]);
  const approved = body.executionId;
  const early = await execute({ approved });
  expect([early.status, early.body.code]).toEqual([409, 'NOT_APPROVED']);
  const foreign = await ask(`${place}/decisions?userId=eve`, { json: { action: 'approve' } });
  expect(foreign.status).toBe(404);
  const decided = await ask(`${place}/decisions?userId=ada`, { json: { action: 'approve' } });
  expect([decided.status, decided.body]).toEqual([200, { calls: [1] }]);
  expect(effects).toEqual([]);
  expect((await execute({ approved })).body).toMatchObject({ status: 'completed', value: 1 });
  expect((await execute({ approved })).status).toBe(409);
  expect(effects).toEqual([{ to: 'ann' }]);
});

test('a fork over HTTP sends only the new calls, once per idempotency key', async () => {
  const place = await start('ada');
  await ask(`${place}/decisions?userId=ada`, { json: { action: 'approve' } });
  await ask(`${place}/resume?userId=ada`, { json: {} });
  const before = effects.length;
  const id = place.slice(place.lastIndexOf('/') + 1);
  const code = `${PROGRAM.replace('return', 'const first = await')};\nreturn [first, await list_mcp_tools('pay')].length`;
  const fork = (json: object, key = 'a') =>
    ask(`${place}/fork?userId=ada`, { json, headers: { 'idempotency-key': key } });
  const first = await fork({ at: 1, code });
  expect([first.status, first.body.status, first.body.value]).toEqual([200, 'completed', 2]);
  expect((await fork({ at: 1, code })).body.executionId).toBe(first.body.executionId);
  expect((await fork({ at: 0 }, 'b')).body).toMatchObject({ status: 'suspended', waitingFor: ['approval'] });
  expect((await fork({ at: 1, answer: 'x' }, 'c')).body).toMatchObject({ status: 'completed', value: 'x' });
  const got = (await ask(`${url}/executions/${first.body.executionId}?userId=ada`)).body;
  expect(got.forkedFrom).toEqual({ id, at: 1 });
  expect((await fork({ at: 2 }, 'd')).status).toBe(422);
  expect((await fork({ at: -1 }, 'e')).status).toBe(422);
  const other = await ask(`${place}/fork?userId=eve`, { json: { at: 1 } });
  expect([other.status, other.body.code]).toEqual([404, 'UNKNOWN_EXECUTION']);
  expect(effects).toHaveLength(before);
});
