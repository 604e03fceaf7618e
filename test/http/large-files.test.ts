import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { collect } from '../fixtures/garbage.ts';
import { ask, startApi } from '../fixtures/http-server.ts';

const MIB = 1024 * 1024;
const server = await startApi({}, { limits: { workspaceBytes: 100 * MIB } });
const { url } = server;
afterAll(() => server.close());
const { sessionId } = (await ask(`${url}/sessions`, { json: {} })).body;
const addressOf = (name: string) => `${url}/sessions/${sessionId}/files/${name}`;

test('a file of 80 MiB is written and read in parts', async () => {
  const part = randomBytes(MIB);
  collect();
  // Other tests of this process have buffers too.
  const before = process.memoryUsage().arrayBuffers;
  const hash = createHash('sha256');
  for (let n = 0; n < 80; n++) hash.update(part);
  let sent = 0;
  const body = new ReadableStream({
    type: 'bytes',
    pull(controller) {
      if (sent++ < 80) controller.enqueue(new Uint8Array(part));
      else controller.close();
    },
  });
  const headers = { 'content-length': String(80 * MIB) };
  const request: RequestInit = { method: 'PUT', body, headers, duplex: 'half' };
  expect((await fetch(addressOf('big.bin'), request)).status).toBe(201);
  const answer = await fetch(addressOf('big.bin'));
  expect(answer.headers.get('content-length')).toBe(String(80 * MIB));
  const read = createHash('sha256');
  let most = 0;
  let parts = 0;
  for await (const bytes of answer.body ?? []) {
    read.update(bytes);
    if (parts++ % 200 === 0) {
      collect();
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    }
  }
  expect(read.digest('hex')).toBe(hash.digest('hex'));
  expect(most - before).toBeLessThan(60 * MIB);
});

test('a file that does not fit is refused, and an upload that breaks off changes nothing', async () => {
  const request: RequestInit = { method: 'PUT', body: Buffer.alloc(101 * MIB) };
  const refused = await fetch(addressOf('huge.bin'), request);
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([507, 'WORKSPACE_FULL']);
  expect((await ask(addressOf('huge.bin'))).status).toBe(404);

  await ask(addressOf('kept.txt'), { method: 'PUT', body: 'before' });
  const { port, pathname } = new URL(addressOf('kept.txt'));
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`PUT ${pathname} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: ${20 * MIB}\r\n\r\n`);
  socket.end(Buffer.alloc(10 * MIB));
  await once(socket.resume(), 'close');
  expect((await ask(addressOf('kept.txt'))).body).toBe('before');
});

test('a client that goes while it reads ends the reading', async () => {
  const leaving = new AbortController();
  const answer = await fetch(addressOf('big.bin'), { signal: leaving.signal });
  await answer.body?.getReader().read();
  leaving.abort();
  expect((await ask(addressOf('kept.txt'))).body).toBe('before');
});
