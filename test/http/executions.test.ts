import { afterAll, expect, test } from 'vitest';
import { ask, startApi } from '../fixtures/http-server.ts';
import { until } from '../fixtures/server.ts';

const echo = {
  description: 'Returns its arguments',
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
  run: async (args: object) => args,
} as const;
const server = await startApi({}, { tools: { web: { tools: { echo } } }, waits: { graceMs: 0 } });
const { url } = server;
afterAll(() => server.close());
const run = async (userId: string, code: string) =>
  (await ask(`${url}/execute`, { json: { code, userId, check: false } })).body;

test('executions have pages, filters, a record and calls', async () => {
  const first = await run('ada', 'return { a: 1 }');
  const second = await run('ada', 'throw new Error("no")');
  const page = await ask(`${url}/executions?userId=ada&limit=1`);
  expect(page.body.executions).toMatchObject([{ executionId: second.executionId, status: 'failed' }]);
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

test('large values of calls and files of results are read one by one', async () => {
  const long = 'x'.repeat(40_000);
  const program = "const long = 'x'.repeat(40_000); return callMCPTool('web__echo', { long });";
  const { executionId } = await run('ada', program);
  const path = `${url}/executions/${executionId}`;
  const [call] = (await ask(`${path}/calls?userId=ada`)).body.calls;
  expect(call).toMatchObject({ number: 1, argumentBytes: 40_011, resultBytes: 40_011 });
  expect('arguments' in call || 'result' in call).toBe(false);
  const whole = await ask(`${path}/calls/1?userId=ada`);
  expect(whole.body).toEqual({ ...call, arguments: { long }, result: { long } });
  const { file } = (await ask(`${path}?userId=ada`)).body;
  const fileOf = (userId: string, name: string) => `${path}/file?${new URLSearchParams({ userId, path: name })}`;
  const read = await ask(fileOf('ada', file.path));
  expect([read.status, read.body, read.headers.get('content-disposition')]).toEqual([...[200, { long }, 'attachment']]);
  for (const unknown of [
    ...[`${path}/calls/2?userId=ada`, `${path}/calls/1?userId=bob`],
    ...[fileOf('bob', file.path), fileOf('ada', '/workspace/other'), fileOf('ada', '/etc/passwd')],
  ]) {
    const { status, body } = await ask(unknown);
    expect([unknown, status, body.code]).toEqual([unknown, 404, 'UNKNOWN_EXECUTION']);
  }
});

test('entries of a journal have the number of their call', async () => {
  const { executionId } = await run('ada', "await callMCPTool('web__echo', {}); await callMCPTool('web__echo', {});");
  const { body } = await ask(`${url}/executions/${executionId}/journal?userId=ada&entry=start,call,answer`);
  expect(body.entries.map(({ entry, call }: Record<string, unknown>) => [entry, call])).toEqual([
    ...[
      ['start', undefined],
      ['call', 1],
      ['answer', 1],
      ['call', 2],
      ['answer', 2],
    ],
  ]);
});

test('a suspended execution is cancelled, also one that waits for a time only', async () => {
  const { executionId, status, waitingFor } = await run('tim', 'await sleep(3_600_000); return 1;');
  expect([status, waitingFor]).toEqual(['suspended', ['timer']]);
  const path = `${url}/executions/${executionId}`;
  expect((await ask(`${path}/cancel?userId=tim`, { method: 'POST' })).status).toBe(202);
  expect((await ask(`${path}?userId=tim`)).body.status).toBe('cancelled');
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
