import { afterAll, expect, test } from 'vitest';
import { ask, eventsOf, type SentEvent, startApi } from '../fixtures/http-server.ts';
import { until } from '../fixtures/server.ts';

const annotations = { readOnlyHint: true };
const bank = {
  tools: {
    read: { description: 'Reads', inputSchema: { type: 'object' } as const, annotations, run: async () => 1 },
    pay: { description: 'Pays', inputSchema: { type: 'object' } as const, run: async () => 'paid' },
  },
};
const options = { tools: { bank }, policy: { preset: 'careful' as const }, waits: { graceMs: 0 } };
const server = await startApi({ streams: { heartbeatMs: 200 } }, options);
afterAll(() => server.close());

const execute = async (code: string, userId: string): Promise<string> =>
  (await ask(`${server.url}/execute`, { json: { code, userId, check: false } })).body.executionId;

async function follow(query: string, headers: Record<string, string> = {}) {
  const leaving = new AbortController();
  const response = await fetch(`${server.url}/executions/events?${query}`, { headers, signal: leaving.signal });
  const events: SentEvent[] = [];
  const reading = (async () => {
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      const end = Math.max(0, text.lastIndexOf('\n\n'));
      events.push(...eventsOf(text.slice(0, end)));
      text = text.slice(end);
    }
  })().catch(() => undefined);
  const rows = () => events.flatMap(({ data }) => data.executions ?? []);
  const statuses = (id: string) =>
    rows()
      .filter((row) => row.executionId === id)
      .map((row) => row.status);
  const calls = (id: string) =>
    events
      .flatMap(({ data }) => data.batches ?? [])
      .filter((batch) => batch.executionId === id)
      .flatMap((batch) => batch.calls);
  const leave = async () => {
    leaving.abort();
    await reading;
  };
  return { events, rows, statuses, calls, leave };
}

test('a stream has the executions and calls of its user, and continues after a reconnection', async () => {
  const waiting = await execute(`return callMCPTool('bank__pay', {})`, 'ada');
  const stream = await follow('userId=ada');
  await until(() => stream.statuses(waiting).includes('suspended'));
  const foreign = await execute(`return callMCPTool('bank__read', {})`, 'eve');
  const own = await execute(`await callMCPTool('bank__read', {}); return callMCPTool('bank__read', {})`, 'ada');
  await until(() => stream.statuses(own).includes('completed') && stream.calls(own).length === 4);
  const states = stream.calls(own).map(({ number, state }) => `${number} ${state}`);
  expect(states).toEqual(['1 started', '1 answered', '2 started', '2 answered']);
  expect([stream.statuses(foreign), stream.calls(foreign)]).toEqual([[], []]);
  const last = stream.events.at(-1)?.id ?? 0;
  await stream.leave();

  await ask(`${server.url}/executions/${waiting}/decisions?userId=ada`, { json: { action: 'approve' } });
  await ask(`${server.url}/executions/${waiting}/resume?userId=ada`, { json: {} });
  const again = await follow('userId=ada', { 'last-event-id': String(last) });
  await until(() => again.statuses(waiting).includes('completed'));
  expect(again.statuses(own)).toEqual([]);
  await again.leave();
  const everybody = await follow('all=true', { 'last-event-id': '1' });
  await until(() => everybody.statuses(foreign).includes('completed') && everybody.statuses(own).includes('completed'));
  await everybody.leave();
  const lost = await follow('userId=ada', { 'last-event-id': '999999999' });
  await until(() => lost.events.some(({ event }) => event === 'reset'));
  await lost.leave();
});

test('many executions within a moment are few events, and each ends once for every follower', async () => {
  const streams = await Promise.all(Array.from({ length: 10 }, () => follow('userId=max')));
  const ids = await Promise.all(Array.from({ length: 40 }, (_, each) => execute(`return ${each}`, 'max')));
  for (const { statuses, events, leave } of streams) {
    await until(() => ids.every((id) => statuses(id).includes('completed')));
    expect(ids.every((id) => statuses(id).filter((status) => status === 'completed').length === 1)).toBe(true);
    const numbers = events.map(({ id }) => id);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    await leave();
  }
});
