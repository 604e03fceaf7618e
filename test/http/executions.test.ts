import { afterAll, expect, test } from 'vitest';
import { ask, startApi } from '../fixtures/http-server.ts';
import { until } from '../fixtures/server.ts';

const server = await startApi();
const { url } = server;
afterAll(() => server.close());
const run = async (userId: string, code: string) =>
  (await ask(`${url}/execute`, { json: { code, userId, check: false } })).body;

test('executions have pages, filters, a record and calls', async () => {
  const first = await run('ada', 'return { a: 1 }');
  const second = await run('ada', 'throw new Error("no")');
  const page = await ask(`${url}/executions?userId=ada&limit=1`);
  expect(page.body.executions).toMatchObject([
    { executionId: second.executionId, id: second.executionId, status: 'failed' },
  ]);
  const next = await ask(`${url}/executions?userId=ada&limit=1&cursor=${page.body.nextCursor}`);
  expect(next.body).toEqual({ executions: [expect.objectContaining({ executionId: first.executionId })] });
  const failed = await ask(`${url}/executions?userId=ada&status=failed`);
  expect(failed.body.executions).toHaveLength(1);
  const { body } = await ask(`${url}/executions/${first.executionId}?userId=ada`);
  expect(body).toMatchObject({ status: 'completed', source: 'return { a: 1 }', value: { a: 1 }, stats: first.stats });
  expect((await ask(`${url}/executions/${first.executionId}/calls?userId=ada`)).body).toEqual({ calls: [] });
  for (const query of ['cursor=x', 'status=done', 'limit=0', 'limit=1000']) {
    expect((await ask(`${url}/executions?${query}`)).status).toBe(400);
  }
});

test('an execution of another user is as unknown as one that never existed', async () => {
  const { executionId } = await run('ada', 'return 1');
  for (const id of [executionId, crypto.randomUUID(), '__proto__']) {
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/calls'],
      ['POST', '/cancel'],
    ]) {
      const { status, body } = await ask(`${url}/executions/${id}${path}?userId=bob`, { method: method ?? '' });
      expect([status, body.code, body.detail.replace(id, '')]).toEqual([
        404,
        'UNKNOWN_EXECUTION',
        'There is no execution "". Pass the executionId of a result.',
      ]);
    }
  }
});

test('a running execution is cancelled with 202, and an ended one is a conflict', async () => {
  const running = run('eve', 'for (;;) await sleep(50)');
  const list = async () => (await ask(`${url}/executions?userId=eve&status=running`)).body.executions;
  await until(async () => (await list()).length === 1);
  const [{ executionId }] = await list();
  const path = `${url}/executions/${executionId}`;
  expect((await ask(`${path}/cancel?userId=eve`, { method: 'POST' })).status).toBe(202);
  expect(await running).toMatchObject({ executionId, status: 'stopped', limit: 'cancelled' });
  expect((await ask(`${path}?userId=eve`)).body.status).toBe('cancelled');
  const again = await ask(`${path}/cancel?userId=eve`, { method: 'POST' });
  expect([again.status, again.body.code]).toEqual([409, 'EXECUTION_ENDED']);
});
