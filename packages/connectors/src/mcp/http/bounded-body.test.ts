import { expect, test } from 'vitest';
import { boundedBody } from './bounded-body.ts';

const MAX_BYTES = 1_000;

function read(pieces: readonly string[], type: string): Promise<string> {
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  return boundedBody(new Response(body, { headers: { 'content-type': type } }), { maxBytes: MAX_BYTES }).text();
}

test('a body is one message', async () => {
  expect(await read(['x'.repeat(500), 'y'.repeat(500)], 'application/json')).toHaveLength(1_000);
  await expect(read(['x'.repeat(500), 'y'.repeat(501)], 'application/json')).rejects.toMatchObject({
    code: 'UPSTREAM_PROTOCOL',
    message: expect.stringContaining('Ask for less'),
  });
});

test.each(['\n', '\r\n'])('each event of a stream is one message (%j)', async (end) => {
  const event = `data: ${'"'.repeat(7)}${'x'.repeat(600)}${end}${end}`;
  const stream = event.repeat(20);
  expect(await read([stream], 'text/event-stream; charset=utf-8')).toBe(stream);
  expect(await read(Array.from(stream), 'text/event-stream')).toBe(stream);
  await expect(read([`data: ${'x'.repeat(600)}${end}`, 'x'.repeat(600)], 'text/event-stream')).rejects.toThrow();
  const long = `event: message${end}id: 4${end}data: {"result":{"id":1,"x":"${'x'.repeat(2_000)}"},"id":7}${end}${end}`;
  for (const pieces of [[event, long, event], Array.from(event + long + event)]) {
    const passed = await read(pieces, 'text/event-stream');
    expect(passed.startsWith(event) && passed.endsWith(event)).toBe(true);
    expect(JSON.parse(/^data: (\{.*)$/m.exec(passed)?.[1] ?? '')).toMatchObject({
      id: 7,
      error: { message: expect.stringMatching(/^its answer is a message of more than .* Ask for less/) },
    });
  }
});

test('an answer without a body stays unchanged', async () => {
  const none = new Response(null, { status: 204, headers: { 'x-a': 'b' } });
  expect(boundedBody(none)).toBe(none);
  const some = boundedBody(new Response('x', { status: 429, headers: { 'retry-after': '7' } }));
  expect([some.status, some.headers.get('retry-after'), await some.text()]).toEqual([429, '7', 'x']);
});
