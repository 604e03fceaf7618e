import { expect, test } from 'vitest';
import { boundedBody } from './bounded-body.ts';
import { EventLimiter } from './event-limiter.ts';

const MIB = 1024 * 1024;

/** A clock that stands still, except for waits. */
function clocked() {
  let now = 0;
  const sleep = async (ms: number): Promise<void> => {
    now += ms;
  };
  return { events: new EventLimiter({ now: () => now, sleep }), now: () => now };
}

/** Reads an endless stream of one chunk until it fails. Returns the error and the bytes that were read. */
async function readFlood(chunk: string, events: EventLimiter) {
  const bytes = Buffer.from(chunk);
  const body = new ReadableStream({ pull: (controller) => controller.enqueue(bytes) });
  const response = boundedBody(new Response(body, { headers: { 'content-type': 'text/event-stream' } }), { events });
  let read = 0;
  try {
    for await (const part of response.body ?? []) read += part.length;
    return { read };
  } catch (error) {
    return { read, error };
  }
}

const notification =
  'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n';

test.each([
  ['comments', `: ${'x'.repeat(60_000)}\n\n`, 20 * MIB],
  ['small notifications', notification.repeat(600), 4 * MIB],
  ['answers that nobody asked for', 'data: {"jsonrpc":"2.0","id":7,"result":{}}\n\n'.repeat(1_000), 2 * MIB],
])('a flood of %s is read slowly, and ended after 10 s', async (_kind, chunk, mostBytes) => {
  const { events, now } = clocked();
  const { read, error } = await readFlood(chunk, events);
  expect(error).toMatchObject({ code: 'UPSTREAM_PROTOCOL', message: expect.stringContaining('for 10 s') });
  expect(read).toBeLessThan(mostBytes);
  expect(now()).toBeGreaterThanOrEqual(10_000);
  expect(now()).toBeLessThan(11_000);
});

test('a stream that is opened again after a flood is ended at once', async () => {
  const { events } = clocked();
  await readFlood(notification.repeat(600), events);
  const { read, error } = await readFlood(notification.repeat(600), events);
  expect(error).toMatchObject({ code: 'UPSTREAM_PROTOCOL' });
  expect(read).toBeLessThan(MIB);
});

test('an answer to a request has any size', async () => {
  const { events, now } = clocked();
  events.sent();
  const answer = `data: {"jsonrpc":"2.0","id":1,"result":{"x":"${'x'.repeat(40 * MIB)}"}}\n\n`;
  const response = new Response(answer, { headers: { 'content-type': 'text/event-stream' } });
  expect(await boundedBody(response, { events }).text()).toHaveLength(answer.length);
  expect(now()).toBe(0);
});

test('a server that rests may send the burst again', () => {
  let now = 0;
  const events = new EventLimiter({ now: () => now, sleep: async () => undefined });
  for (let minute = 0; minute < 5; minute++) {
    events.count(9 * MIB, false);
    expect(events.capacity()).toBeInstanceOf(Promise);
    now += 60_000;
    expect(events.capacity()).toBeUndefined();
  }
});
