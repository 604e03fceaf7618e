import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import type { Task, Tasks } from '../../packages/server/src/agent/task.ts';
import { MAX_SESSIONS_PER_USER, MAX_STREAMS_PER_USER } from '../../packages/server/src/rate-limit/user-caps.ts';
import { ask, startApi } from '../fixtures/http-server.ts';
import { until } from '../fixtures/server.ts';

const task = { id: 'quiet', sessionId: 's', userId: 'ada', status: 'running' } as Task;
const tasks: Tasks = {
  start: async () => task,
  get: async () => task,
  list: async () => [],
  cancel: async () => task,
  resume: async () => task,
  ended: () => new Promise(() => undefined),
  async *events(_id, { signal } = {}) {
    yield { number: 1, type: 'text-delta', text: 'begun' };
    await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
  },
  [Symbol.asyncDispose]: async () => undefined,
};
const server = await startApi({ tasks });
afterAll(() => server.close());

const create = (userId: string) => ask(`${server.url}/sessions`, { json: { userId } });

test('sessions have pages, last used first', async () => {
  const created: string[] = [];
  for (let number = 0; number < 7; number++) created.unshift((await create('carol')).body.sessionId);
  const listed: string[] = [];
  for (let before = ''; ; before = `&before=${listed.at(-1)}`) {
    const { body } = await ask(`${server.url}/sessions?userId=carol&limit=3${before}`);
    if (body.sessions.length === 0) break;
    expect(body.sessions.length).toBeLessThanOrEqual(3);
    listed.push(...body.sessions.map(({ sessionId }: { sessionId: string }) => sessionId));
  }
  expect(listed.toSorted()).toEqual(created.toSorted());
  expect((await ask(`${server.url}/sessions?limit=201`)).status).toBe(400);
  expect((await ask(`${server.url}/sessions?userId=carol&before=unknown`)).body.sessions).toEqual([]);
});

test('a user at the cap of sessions gets 429 with the number and the fix, and another user does not', async () => {
  const made = await Promise.all(
    Array.from({ length: MAX_SESSIONS_PER_USER }, () => server.toolwright.sessions.create({ userId: 'eve' })),
  );
  const refused = await create('eve');
  expect([refused.status, refused.body.code, Number(refused.headers.get('retry-after')) > 0]).toEqual([
    429,
    'QUOTA_EXCEEDED',
    true,
  ]);
  expect(refused.body.detail).toMatch(/^This user has 1000 sessions, which is the limit\. Remove sessions/);
  expect((await create('bob')).status).toBe(201);
  await ask(`${server.url}/sessions/${made[0]?.id}?userId=eve`, { method: 'DELETE' });
  const both = await Promise.all([create('eve'), create('eve')]);
  expect(both.map(({ status }) => status).sort()).toEqual([201, 429]);
});

test('a client that ignores its refusals is answered later, and other clients are served', async () => {
  await Promise.all(
    Array.from({ length: MAX_SESSIONS_PER_USER }, () => server.toolwright.sessions.create({ userId: 'mallory' })),
  );
  let refusals = 0;
  let isOver = false;
  const flood = async () => {
    while (!isOver) {
      const headers = { authorization: 'Bearer mallory' };
      const { status } = await ask(`${server.url}/sessions`, { json: { userId: 'mallory' }, headers });
      if (status === 429) refusals++;
    }
  };
  const floods = Promise.all(Array.from({ length: 16 }, flood));
  await until(() => refusals > 20);
  expect((await create('zoe')).status).toBe(201);
  const [before, startedAt] = [refusals, performance.now()];
  await sleep(2_000);
  isOver = true;
  await floods;
  // 16 floods with an answer per second, in addition to those in flight. Without the wait there are thousands.
  expect(refusals - before).toBeLessThan(32 * ((performance.now() - startedAt) / 1_000) + 100);
});

test('a user at the cap of event streams gets 429, and a closed stream frees its place', async () => {
  const leaving = new AbortController();
  const watch = (userId: string, signal = leaving.signal) =>
    fetch(`${server.url}/tasks/quiet/events?userId=${userId}`, { signal });
  const open = await Promise.all(Array.from({ length: MAX_STREAMS_PER_USER }, () => watch('ada')));
  expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]));
  const refused = await watch('ada');
  expect([refused.status, ((await refused.json()) as { detail: string }).detail]).toEqual([
    429,
    'This user has 64 open event streams, which is the limit. Close a stream, and continue it later with Last-Event-ID.',
  ]);
  const other = await watch('bob');
  expect(other.status).toBe(200);
  await open[0]?.body?.cancel();
  await until(async () => {
    const again = await watch('ada');
    if (again.status !== 200) await again.text();
    return again.status === 200;
  }, 10_000);
  leaving.abort();
});
