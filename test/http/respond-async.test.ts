import { afterAll, expect, test } from 'vitest';
import { ask, startApi } from '../fixtures/http-server.ts';
import { until } from '../fixtures/server.ts';

const pay = { description: 'Pays', inputSchema: { type: 'object' } as const, run: async () => 'paid' };
const server = await startApi(
  {},
  { tools: { bank: { tools: { pay } } }, policy: { preset: 'careful' }, waits: { graceMs: 4_000 } },
);
afterAll(() => server.close());

const SLOW = "await new Promise((resolve) => setTimeout(resolve, 1_500)); return 'late'";
const execute = (code: string, headers: Record<string, string>, signal?: AbortSignal) =>
  ask(`${server.url}/execute`, { json: { code, check: false }, headers, ...(signal ? { signal } : {}) });
const ended = async (place: string) => {
  await until(async () => (await ask(server.url + place)).body.status !== 'running');
  return (await ask(server.url + place)).body;
};

test('a client that does not wait gets the path of the execution, and finds its result there', async () => {
  const { status, headers, body } = await execute(SLOW, { prefer: 'respond-async' });
  const place = headers.get('location') ?? '';
  expect([status, headers.get('preference-applied')]).toEqual([202, 'respond-async']);
  expect(body).toEqual({
    ...{ executionId: expect.any(String), status: 'running' },
    links: { execution: place, calls: `${place}/calls` },
  });
  expect(place).toBe(`/executions/${body.executionId}`);
  expect(await ended(place)).toMatchObject({ status: 'completed', value: 'late' });
});

test('a program that ends within the wait is answered at once', async () => {
  const quick = await execute('return 1', { prefer: 'respond-async, wait=20' });
  expect([quick.status, quick.body.value, quick.headers.get('location')]).toEqual([200, 1, null]);
  const slow = await execute(SLOW, { prefer: 'Respond-Async; x=1 , wait="0"' });
  expect(slow.status).toBe(202);
});

test.each(['', 'wait=0', 'return=minimal', 'respond-async-later', 'wait=x'])(
  'the preference "%s" changes nothing',
  async (prefer) => {
    const { status, body } = await execute('return 1', prefer === '' ? {} : { prefer });
    expect([status, body.value]).toEqual([200, 1]);
  },
);

test('the program goes on when its client disconnects', async () => {
  const leaving = new AbortController();
  const asked = execute(SLOW, { prefer: 'respond-async, wait=60' }, leaving.signal).catch(() => undefined);
  const list = async () => (await ask(`${server.url}/executions?status=running`)).body.executions;
  await until(async () => (await list()).length === 1);
  const [{ executionId }] = await list();
  leaving.abort();
  await asked;
  expect(await ended(`/executions/${executionId}`)).toMatchObject({ status: 'completed', value: 'late' });
});

test('an execution that waits for an approval is found at its path', async () => {
  const { headers } = await execute(`return await callMCPTool('bank__pay', {})`, { prefer: 'respond-async' });
  const place = headers.get('location') ?? '';
  expect(await ended(place)).toMatchObject({ status: 'suspended' });
  expect((await ask(`${server.url}${place}/questions`)).body.questions).toHaveLength(1);
});

test('an idempotency key gives the same execution, during the program and after it', async () => {
  const headers = { prefer: 'respond-async', 'idempotency-key': 'job-17' };
  const first = await execute(SLOW, headers);
  expect([first.status, (await execute(SLOW, headers)).status]).toEqual([202, 409]);
  await ended(first.headers.get('location') ?? '');
  const again = await execute(SLOW, headers);
  expect([again.status, again.body.value, again.body.executionId]).toEqual([200, 'late', first.body.executionId]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
});

test('a mistake is answered before the program starts', async () => {
  const { status, body } = await execute('', { prefer: 'respond-async' });
  expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
});
