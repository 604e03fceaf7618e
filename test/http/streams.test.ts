import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import type { Task, Tasks } from '../../packages/server/src/agent/task.ts';
import { MAX_STREAMS_PER_USER } from '../../packages/server/src/rate-limit/user-caps.ts';
import { ask, startApi } from '../fixtures/http-server.ts';
import { until } from '../fixtures/server.ts';

const MIB = 1024 * 1024;
const EVENT_CHARACTERS = 64 * 1024;
const task = { id: 'endless', sessionId: 's', userId: 'local', status: 'running' } as Task;
const reported = { events: 0, readers: 0 };
/** A task that sends events forever, as fast as they are read, one that sends none, and one whose events fail. */
const tasks: Tasks = {
  start: async () => task,
  get: async (id) => ({ ...task, id }),
  list: async () => [],
  cancel: async () => task,
  resume: async () => task,
  ended: () => new Promise(() => undefined),
  async *events(id, { signal } = {}) {
    reported.readers++;
    try {
      const text = 'x'.repeat(EVENT_CHARACTERS);
      for (let number = 1; id === 'endless' && !signal?.aborted; number++) {
        reported.events++;
        yield { number, type: 'text-delta', text };
      }
      if (id === 'broken') throw new Error('the events cannot be read');
      if (signal && !signal.aborted) await once(signal, 'abort');
    } finally {
      reported.readers--;
    }
  },
  [Symbol.asyncDispose]: async () => undefined,
};
// Long enough that, on a busy machine, all readers connect before the first one is disconnected.
const server = await startApi({ tasks, streams: { heartbeatMs: 100, stalledClientMs: 6_000 } });
const { url, logged } = server;
const port = Number(new URL(url).port);
afterAll(() => server.close());

/** Requests the events of a task, and reads nothing. */
function stuckReader(id: string) {
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  socket.write(`GET /tasks/${id}/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  return socket;
}

test('readers that read nothing fill no memory, delay nobody, and are disconnected', async () => {
  const before = process.memoryUsage().rss;
  const readers = Array.from({ length: 10 }, () => stuckReader('endless'));
  await until(() => reported.readers === readers.length);
  // Until the sockets accept no more events.
  let whileStuck = -1;
  while (whileStuck !== reported.events) {
    whileStuck = reported.events;
    await sleep(300);
  }
  expect((await ask(`${url}/health`)).status).toBe(200);
  expect((await ask(`${url}/execute`, { json: { code: 'return 1' } })).body.value).toBe(1);
  // The task was read only as far as the sockets have accepted events, and not further after a longer wait.
  expect(reported.events).toBeLessThan(whileStuck + readers.length * 5);
  await until(() => reported.readers === 0);
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * MIB);
  expect(logged.filter((line) => line.includes('a stalled client was disconnected')).length).toBe(readers.length);
  for (const socket of readers) socket.destroy();
});

test('a stream without events sends heartbeats, and ends with its reader', async () => {
  const leaving = new AbortController();
  const response = await fetch(`${url}/tasks/quiet/events`, { signal: leaving.signal });
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk);
    if (text.split(': alive').length > 2) break;
  }
  leaving.abort();
  await until(() => reported.readers === 0);
});

test('a stream that fails ends, and frees its place', async () => {
  for (let each = 0; each <= MAX_STREAMS_PER_USER; each++) {
    const response = await fetch(`${url}/tasks/broken/events`);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  }
  const failures = logged.filter((line) => line.includes('an event stream failed'));
  expect(failures.length).toBe(MAX_STREAMS_PER_USER + 1);
  expect(failures[0]).toContain('the events cannot be read');
});
