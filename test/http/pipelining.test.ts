import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { ask, startApi } from '../fixtures/http-server.ts';
import { processorTime } from '../fixtures/processor-time.ts';
import { until } from '../fixtures/server.ts';

const MIB = 1024 * 1024;
const server = await startApi({ connections: { stalledMs: 3_000, max: 60, headersMs: 60_000, requestMs: 60_000 } });
const { url, admission } = server;
const port = Number(new URL(url).port);
afterAll(() => server.close());

const head = (line: string, more = '') => `${line} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${more}\r\n`;
const post = (code: string) => {
  const body = JSON.stringify({ code });
  return `${head('POST /execute', `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`)}${body}`;
};

function open(bytes: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(bytes);
  return socket;
}

/** Reads until the text has a number of answers. */
function read(socket: Socket, answers: number): Promise<string> {
  let text = '';
  return new Promise((resolve) => {
    socket.on('data', (chunk) => {
      text += chunk;
      if (text.split('HTTP/1.1 ').length > answers) resolve(text);
    });
    socket.on('close', () => resolve(text));
  });
}

test('a connection has at most 16 requests in flight, and all of them are answered in order', async () => {
  const socket = open(Array.from({ length: 60 }, (_, n) => post(`await utils.sleep(200); return "n${n}"`)).join(''));
  const reading = read(socket, 60);
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, admission.running);
  }, 5);
  const values = [...(await reading).matchAll(/"value":"(n\d+)"/g)].map(([, value]) => value);
  clearInterval(watch);
  expect(values.slice(0, 59)).toEqual(Array.from({ length: 59 }, (_, n) => `n${n}`));
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(16);
  socket.destroy();
});

test('a body of line ends, and one in many packets, arrive complete', async () => {
  const { sessionId } = (await ask(`${url}/sessions`, { json: {} })).body;
  const file = `${url}/sessions/${sessionId}/files/lines.txt`;
  const text = '\r\n\r\n\n'.repeat(40_000);
  expect((await ask(file, { method: 'PUT', body: text })).status).toBe(201);
  expect((await ask(file)).body).toBe(text);
  const bytes = `${head(`PUT /sessions/${sessionId}/files/parts.txt`, 'Content-Length: 6\r\n')}\r\n\r\n\r\n${head('GET /health')}`;
  const socket = open('');
  const reading = read(socket, 2);
  for (const byte of bytes) {
    socket.write(byte);
    await sleep(1);
  }
  expect((await reading).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 200']);
  socket.destroy();
});

test('20 connections with 400 pipelined documents each delay no other client', async () => {
  const sockets = Array.from({ length: 20 }, () => open(head('GET /openapi.json').repeat(400)));
  let received = 0;
  for (const socket of sockets) {
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
  }
  let worst = 0;
  for (let round = 0; round < 10; round++) {
    const used = processorTime();
    expect((await ask(`${url}/health`)).status).toBe(200);
    worst = Math.max(worst, used());
  }
  expect(worst).toBeLessThan(1_000);
  expect(received).toBeGreaterThan(0);
  for (const socket of sockets) socket.destroy();
});

test('clients that pipeline and read nothing fill no memory, and are disconnected', async () => {
  const before = process.memoryUsage().rss;
  const sockets = Array.from({ length: 20 }, () => open('').pause());
  let closed = 0;
  for (const socket of sockets) {
    socket.on('close', () => closed++);
    const flood = () => socket.write(head('GET /openapi.json').repeat(100), () => setImmediate(flood));
    flood();
  }
  let most = 0;
  await until(() => {
    most = Math.max(most, process.memoryUsage().rss - before);
    return closed === sockets.length;
  });
  expect((await ask(`${url}/health`)).status).toBe(200);
  expect(most).toBeLessThan(300 * MIB);
});

test('a new connection replaces an idle one when there are too many', async () => {
  const idle = Array.from({ length: 60 }, () => open('GET /health HTTP/1.1\r\nX-A'));
  const opened = await Promise.all(idle.map((socket) => once(socket, 'connect')));
  expect(opened.length).toBe(60);
  const socket = open(head('GET /health'));
  expect(await read(socket, 1)).toMatch(/^HTTP\/1\.1 200 /);
  for (const one of [...idle, socket]) one.destroy();
});
