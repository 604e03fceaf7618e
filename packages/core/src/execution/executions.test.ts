import { randomUUID } from 'node:crypto';
import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { addRows } from '../../../../test/fixtures/execution-rows.ts';
import { warmQuickjs } from '../../../../test/fixtures/warm-sandbox.ts';
import { LEASE_TTL_MS } from '../../../storage/src/leases/owner.ts';
import { openJournal } from '../journal/journal.ts';
import { createToolwright, type Toolwright } from '../toolwright.ts';

const dataDir = temporaryFolder();
let toolwright: Toolwright;
let endHanging = () => {};
const hanging = new Promise<void>((resolve) => {
  endHanging = resolve;
});

beforeAll(async () => {
  toolwright = await createToolwright({
    dataDir,
    sandbox: warmQuickjs(),
    check: false,
    tools: {
      shop: {
        tools: {
          buy: { run: async (args) => ({ bought: Object(args).item }) },
          fail: { run: () => Promise.reject(new Error('sold out')) },
          hang: { run: () => hanging },
        },
      },
    },
  });
});
afterAll(async () => {
  endHanging();
  await toolwright.close();
});

const run = (source: string, options: object = {}) => toolwright.execute(source, options);
const buy = (item: string) => `await callMCPTool('shop__buy', { item: '${item}' })`;

/** Leaves the journal of an execution whose process has died, as `kill -9` does. */
async function die(userId: string): Promise<string> {
  const id = randomUUID();
  const facts = {
    host: { name: 'here', pid: 1 },
    owner: randomUUID(),
    language: 'typescript',
    sandbox: 'quickjs',
    source: 'x',
    catalogHash: 'h',
    seed: 1,
    epochMs: 1,
  };
  const journal = openJournal(
    join(dataDir, 'executions'),
    { id, user: userId, ...facts },
    {
      maxBytes: 100_000,
      key: Buffer.alloc(32),
    },
  );
  journal.begin({ number: 1, tool: 'shop__buy', arguments: '{"item":"a"}' });
  journal.end({ number: 1, ok: true, result: '{"bought":"a"}' });
  journal.begin({ number: 2, tool: 'shop__buy', arguments: '{"item":"b"}' });
  appendFileSync(journal.path, '{"entry":"call","number":3,"tool":"sh');
  journal.abandon();
  await addRows(dataDir);
  return id;
}

test('a running execution has its last log lines, and an ended one those of its result', async () => {
  const executionId = randomUUID();
  const controller = new AbortController();
  const code = "for (let n = 0; n < 600; n++) console.log(n, 'ada@example.com'); await callMCPTool('shop__hang', {})";
  const running = run(code, { executionId, signal: controller.signal });
  const logs = async () => (await toolwright.executions.get(executionId)).logs ?? [];
  await vi.waitFor(async () => expect((await logs()).at(-1)?.text).toBe('599 [EMAIL_1]'), { timeout: 20_000 });
  expect([(await logs()).length, (await logs())[0]?.text]).toEqual([500, '100 [EMAIL_1]']);
  controller.abort();
  await running;
  const ended = await toolwright.executions.get(executionId);
  expect([ended.logs, ended.result?.logs.length]).toEqual([undefined, 600]);
});

test('an ended execution has its program, its times and its result', async () => {
  const { executionId, ...given } = await run(`console.log('hi'); return ${buy('pen')}`, { userId: 'ada' });
  const { logs, stats } = JSON.parse(JSON.stringify(given));
  const found = await toolwright.executions.get(executionId, 'ada');
  expect(found).toMatchObject({
    id: executionId,
    status: 'completed',
    language: 'typescript',
    sandbox: 'quickjs',
    source: `console.log('hi'); return ${buy('pen')}`,
    result: { value: { bought: 'pen' }, logs, stats },
  });
  expect(Date.parse(found.endedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(found.startedAt));
  const failed = await run('throw new Error("no")', { userId: 'ada' });
  expect(await toolwright.executions.get(failed.executionId, 'ada')).toMatchObject({
    status: 'failed',
    result: { error: { message: 'no' } },
  });
});

test('an execution of another user, and one that never existed, are the same unknown one', async () => {
  const { executionId } = await run('return 1', { userId: 'ada' });
  for (const id of [executionId, randomUUID(), '../executions/x', '__proto__']) {
    for (const method of ['get', 'calls', 'cancel'] as const) {
      await expect(toolwright.executions[method](id, 'bob')).rejects.toMatchObject({ code: 'UNKNOWN_EXECUTION' });
    }
  }
  expect((await toolwright.executions.list({ userId: 'bob' })).executions).toEqual([]);
});

test('a list has pages, newest first, and filters', async () => {
  const userId = 'lists';
  const { id: sessionId } = await toolwright.sessions.create({ userId });
  const ids: string[] = [];
  for (const source of ['return 0', 'throw 1', 'return 2', 'throw 3', 'return 4']) {
    ids.unshift((await run(source, { userId, ...(source.endsWith('2') ? { sessionId } : {}) })).executionId);
  }
  const dead = await die(userId);
  const all: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await toolwright.executions.list({ userId, limit: 2, cursor });
    expect(page.executions.length).toBeLessThanOrEqual(2);
    all.push(...page.executions.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(all).toEqual([dead, ...ids]);
  const idsOf = async (filter: object) =>
    (await toolwright.executions.list({ userId, ...filter })).executions.map(({ id }) => id);
  expect(await idsOf({ status: 'failed' })).toEqual([ids[1], ids[3]]);
  expect(await idsOf({ status: 'interrupted' })).toEqual([dead]);
  expect(await idsOf({ status: 'running' })).toEqual([]);
  expect(await idsOf({ sessionId })).toEqual([ids[2]]);
  await expect(idsOf({ limit: 0 })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});

describe('calls', () => {
  test('have their arguments, results and errors, and pages', async () => {
    const source = `${buy('a')}; await callMCPTool('shop__fail', {}).catch(() => 0); ${buy('b')}; ${buy('x'.repeat(20_000))}`;
    const { executionId } = await run(source);
    const calls = await toolwright.executions.calls(executionId);
    expect(calls).toMatchObject([
      { number: 1, tool: 'shop__buy', outcome: 'answered', arguments: { item: 'a' }, result: { bought: 'a' } },
      { number: 2, tool: 'shop__fail', outcome: 'failed', result: { message: expect.stringContaining('sold out') } },
      { number: 3, outcome: 'answered', arguments: { item: 'b' } },
      { number: 4, outcome: 'answered', argumentBytes: 20_011, resultBytes: 20_013 },
    ]);
    expect([calls[3]?.arguments, calls[3]?.result]).toEqual([undefined, undefined]);
    const page = await toolwright.executions.calls(executionId, 'local', { after: 1, limit: 2 });
    expect(page).toEqual(calls.slice(1, 3));
  });

  test('of some tools are found behind any number of others, with large values on request', async () => {
    const long = 'x'.repeat(20_000);
    const source = `for (let i = 0; i < 3; i++) ${buy('a')}; await callMCPTool('shop__fail', {}).catch(() => 0); ${buy(long)}`;
    const { executionId } = await run(source);
    const calls = (page: object) => toolwright.executions.calls(executionId, 'local', page);
    expect(await calls({ tools: ['shop__fail'], limit: 1 })).toMatchObject([{ number: 4, tool: 'shop__fail' }]);
    expect((await calls({ tools: ['shop__buy'], limit: 2 })).map(({ number }) => number)).toEqual([1, 2]);
    expect(await calls({ after: 4, maxValueBytes: 30_000 })).toMatchObject([{ result: { bought: long } }]);
    await expect(calls({ maxValueBytes: 100_000_000 })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('of a dead process without an answer are unknown, and a cut-off line was not sent', async () => {
    const id = await die('ada');
    expect(await toolwright.executions.get(id, 'ada')).toMatchObject({ status: 'interrupted', source: 'x' });
    expect(await toolwright.executions.calls(id, 'ada')).toMatchObject([
      { number: 1, outcome: 'answered', result: { bought: 'a' } },
      { number: 2, outcome: 'unknown', arguments: { item: 'b' } },
    ]);
  });
});

test('a running execution can be cancelled once', async () => {
  const executionId = randomUUID();
  let called = () => {};
  const isCalled = new Promise<void>((resolve) => {
    called = resolve;
  });
  const running = run("await callMCPTool('shop__hang', {})", { executionId, onCall: () => called() });
  await isCalled;
  expect((await toolwright.executions.list({ status: 'running' })).executions).toMatchObject([{ id: executionId }]);
  expect(await toolwright.executions.cancel(executionId)).toMatchObject({ id: executionId });
  expect(await running).toMatchObject({ status: 'stopped', limit: 'cancelled' });
  expect(await toolwright.executions.get(executionId)).toMatchObject({ status: 'cancelled' });
  expect(await toolwright.executions.calls(executionId)).toMatchObject([{ tool: 'shop__hang', outcome: 'unknown' }]);
  await expect(toolwright.executions.cancel(executionId)).rejects.toMatchObject({ code: 'EXECUTION_ENDED' });
  expect((await toolwright.executions.find({ id: executionId, status: 'cancelled' })).executions).toHaveLength(1);
});

test('a removed execution is unknown, and its journal is gone', async () => {
  const { executionId } = await run('return 1');
  await toolwright.executions.remove(executionId);
  await expect(toolwright.executions.get(executionId)).rejects.toMatchObject({ code: 'UNKNOWN_EXECUTION' });
  expect(readdirSync(join(dataDir, 'executions')).filter((name) => name.startsWith(executionId))).toEqual([]);
});

test('an id that is taken or is no UUID is refused', async () => {
  const { executionId } = await run('return 1');
  await expect(run('return 1', { executionId })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await expect(run('return 1', { executionId: '../x' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});

test('an execution that starts after a long pause of the process is not cancelled with the lost lease', async () => {
  await using toolwright = await createToolwright({ dataDir: temporaryFolder(), sandbox: warmQuickjs(), check: false });
  expect((await toolwright.execute('return 1')).status).toBe('completed');
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 2 * LEASE_TTL_MS);
  try {
    expect((await toolwright.execute('return 2')).status).toBe('completed');
  } finally {
    clock.mockRestore();
  }
});
