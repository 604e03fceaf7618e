import { expect, test } from 'vitest';
import { eventsOf, type StreamEvent } from './events.ts';

async function read(...chunks: readonly (string | Uint8Array)[]): Promise<StreamEvent[]> {
  const bytes = chunks.map((chunk) => (typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk));
  const found: StreamEvent[] = [];
  for await (const event of eventsOf(ReadableStream.from(bytes))) found.push(event);
  return found;
}

test('returns events with their type, data and id', async () => {
  expect(
    await read(': hello\n\nid: 7\nevent: calls\ndata: {"a":\ndata: 1}\n\n', 'data: x\r\n\r\nevent: none\n\n'),
  ).toEqual([
    { type: 'calls', data: '{"a":\n1}', lastEventId: '7' },
    { type: 'message', data: 'x', lastEventId: '7' },
  ]);
});

test('joins events and characters that arrive in several pieces, and ignores an incomplete last event', async () => {
  const bytes = new TextEncoder().encode('event: a\ndata: ü€\n\ndata: cut');
  const pieces = [...bytes].map((byte) => Uint8Array.of(byte));
  expect(await read(...pieces)).toEqual([{ type: 'a', data: 'ü€', lastEventId: '' }]);
});

test('refuses an endless event', async () => {
  await expect(read('data: ', 'x'.repeat(33_000_000))).rejects.toThrow('An event has more than');
});
