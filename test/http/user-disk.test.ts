import { afterAll, expect, test } from 'vitest';
import { ask, startApi } from '../fixtures/http-server.ts';

const KIB = 1024;
const LIMIT = 500 * KIB;
const server = await startApi({}, { userDiskBytes: LIMIT });
afterAll(() => server.close());

const execute = (code: string, userId: string, sessionId?: string) =>
  ask(`${server.url}/execute`, { json: { code, userId, sessionId, check: false } });
const write = `await fs.writeFile('/workspace/' + crypto.randomUUID(), 'x'.repeat(${100 * KIB}))`;
const create = async (userId: string) =>
  (await ask(`${server.url}/sessions`, { json: { userId } })).body.sessionId as string;

test('a user cannot fill the disk with sessions, reads how to free space, and others are not affected', async () => {
  const sessions: string[] = [];
  let refused = '';
  for (let number = 0; number < 10 && refused === ''; number++) {
    const session = await create('eve');
    sessions.push(session);
    const { body } = await execute(write, 'eve', session);
    if (body.status === 'failed') refused = body.error.message;
    else expect(body).toMatchObject({ status: 'completed' });
  }
  expect(sessions.length).toBeLessThan(6);
  expect(refused).toMatch(
    /The sessions and executions of this user take \d+ bytes on disk; the limit is 512000\. Remove/,
  );
  expect((await execute(`${write}; return 'written'`, 'bob', await create('bob'))).body.value).toBe('written');
  // Two, because a count on disk includes the logs and folders of the other sessions, which have 28 KiB each.
  for (const session of sessions.slice(0, 2)) {
    const removed = await ask(`${server.url}/sessions/${session}?userId=eve`, { method: 'DELETE' });
    expect(removed.status).toBe(204);
  }
  expect((await execute(`${write}; return 'written'`, 'eve', await create('eve'))).body.value).toBe('written');
});

test('journals count: a user without space gets 429 until executions are removed', async () => {
  const code = `return 1 // ${'x'.repeat(100 * KIB)}`;
  const done: string[] = [];
  let answer = await execute(code, 'mallory');
  for (; answer.status === 200; answer = await execute(code, 'mallory')) done.push(answer.body.executionId);
  expect(done.length).toBe(5);
  expect([answer.status, answer.body.code]).toEqual([429, 'QUOTA_EXCEEDED']);
  expect(answer.body.detail).toContain('Remove sessions or executions first.');
  const [first = ''] = done;
  const address = (user: string) => `${server.url}/executions/${first}?userId=${user}`;
  expect((await ask(address('bob'), { method: 'DELETE' })).status).toBe(404);
  expect((await ask(address('mallory'), { method: 'DELETE' })).status).toBe(204);
  expect((await ask(address('mallory'))).status).toBe(404);
  const { executions } = (await ask(`${server.url}/executions?userId=mallory`)).body;
  expect(executions.map(({ executionId }: { executionId: string }) => executionId)).not.toContain(first);
  expect((await execute('return 2', 'mallory')).body.value).toBe(2);
});

test('an execution that has not ended is not removed', async () => {
  const running = execute('await new Promise((resolve) => setTimeout(resolve, 15_000))', 'dan');
  const list = async () => (await ask(`${server.url}/executions?userId=dan`)).body.executions;
  await expect.poll(list, { timeout: 10_000 }).toHaveLength(1);
  const [{ executionId }] = await list();
  const address = `${server.url}/executions/${executionId}?userId=dan`;
  const refused = await ask(address, { method: 'DELETE' });
  expect([refused.status, refused.body.code]).toEqual([409, 'EXECUTION_RUNNING']);
  await ask(`${server.url}/executions/${executionId}/cancel?userId=dan`, { json: {} });
  await running;
  expect((await ask(address, { method: 'DELETE' })).status).toBe(204);
});
