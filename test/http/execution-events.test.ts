import { afterAll, expect, test } from 'vitest';
import { MAX_STREAMS_PER_USER } from '../../packages/server/src/rate-limit/user-caps.ts';
import { ask, eventsOf, type SentEvent, startApi } from '../fixtures/http-server.ts';
import { until } from '../fixtures/server.ts';

const pay = { description: 'Pays', inputSchema: { type: 'object' } as const, run: async () => 'paid' };
const server = await startApi(
  { streams: { heartbeatMs: 200 } },
  { tools: { bank: { tools: { pay } } }, policy: { preset: 'careful' }, waits: { graceMs: 0 } },
);
afterAll(() => server.close());

const execute = async (code: string, userId: string): Promise<string> =>
  (await ask(`${server.url}/execute`, { json: { code, userId, check: false } })).body.executionId;

/** Reads the events of a user until there are enough of them. */
async function watch(userId: string, headers: Record<string, string> = {}) {
  const leaving = new AbortController();
  const response = await fetch(`${server.url}/events?userId=${userId}`, { headers, signal: leaving.signal });
  const events: SentEvent[] = [];
  const reading = (async () => {
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      const end = text.lastIndexOf('\n\n');
      events.push(...eventsOf(text.slice(0, Math.max(0, end))));
      text = text.slice(Math.max(0, end));
    }
  })().catch(() => undefined);
  const seen = () => events.map(({ event, data }) => [event, data.executionId, data.status]);
  return {
    response,
    events,
    seen,
    async leave() {
      leaving.abort();
      await reading;
    },
  };
}

test('a stream has the start, the suspension, the continuation and the end of each execution of its user', async () => {
  const { response, events, seen, leave } = await watch('ada');
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    expect.stringContaining('text/event-stream'),
  ]);
  await execute('return 1', 'eve');
  const id = await execute(`return await callMCPTool('bank__pay', {})`, 'ada');
  await until(() => seen().some(([, , status]) => status === 'suspended'));
  await ask(`${server.url}/executions/${id}/decisions?userId=ada`, { json: { action: 'approve' } });
  await ask(`${server.url}/executions/${id}/resume?userId=ada`, { json: {} });
  await until(() => seen().some(([, , status]) => status === 'completed'));
  expect(new Set(seen().map(([event, execution]) => [event, execution].join()))).toEqual(new Set([`execution,${id}`]));
  const statuses = seen().map(([, , status]) => status);
  expect(statuses.indexOf('suspended')).toBeLessThan(statuses.indexOf('completed'));
  const numbers = events.map(({ id }) => id);
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect(events.at(-1)?.data).toMatchObject({ executionId: id, language: 'typescript', endedAt: expect.any(String) });
  await leave();
});

test('a new stream begins with the executions that have not ended', async () => {
  await execute('return 1', 'bob');
  const id = await execute(`return await callMCPTool('bank__pay', {})`, 'bob');
  const { seen, leave } = await watch('bob');
  await until(() => seen().length > 0);
  // The row of an ended execution may be written a moment later, as a change.
  expect(seen()[0]).toEqual(['execution', id, 'suspended']);
  await leave();
});

test('Last-Event-ID continues without a gap', async () => {
  const first = await watch('carol');
  const one = await execute('return 1', 'carol');
  await until(() => first.seen().some(([, , status]) => status === 'completed'));
  await first.leave();
  const two = await execute('return 2', 'carol');
  const next = await watch('carol', { 'last-event-id': String(first.events.at(-1)?.id) });
  await until(() => next.seen().some(([, id]) => id === two));
  // The last known change may come again, and nothing before it.
  expect(next.seen().filter(([, id]) => id !== one)).toEqual([['execution', two, 'completed']]);
  await next.leave();
  expect((await watch('carol', { 'last-event-id': 'x' })).response.status).toBe(400);
});

test('a user has a limited number of streams, and one that ends frees its place', async () => {
  const streams = await Promise.all(Array.from({ length: MAX_STREAMS_PER_USER }, () => watch('dan')));
  const refused = await watch('dan');
  expect(refused.response.status).toBe(429);
  await Promise.all(streams.map(({ leave }) => leave()));
  await until(async () => {
    const again = await watch('dan');
    await again.leave();
    return again.response.status === 200;
  }, 20_000);
});
