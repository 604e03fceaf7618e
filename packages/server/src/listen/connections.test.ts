import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createConnections } from './connections.ts';
import { CONNECTION_LIMITS } from './limits.ts';

const FLOODING = 100;
/** The server starts a few requests in each turn of the event loop. */
const SOON = 20;

/** Starts a request on each of many connections, and then one of bob. Returns the started ones in their order. */
async function startAll(credentialOf: (client: string) => string | undefined): Promise<readonly string[]> {
  const connections = createConnections(CONNECTION_LIMITS);
  const started: string[] = [];
  const start = (client: string) => {
    const socket = connections.open(new Socket());
    const authorization = credentialOf(client);
    const req = { socket, headers: authorization === undefined ? {} : { authorization } };
    const answer = Object.assign(new EventEmitter(), { req }) as unknown as ServerResponse;
    connections.start(answer, () => started.push(client));
  };
  for (let request = 0; request < FLOODING; request++) start('ada');
  start('bob');
  while (started.length <= FLOODING) await new Promise(setImmediate);
  return started;
}

test('the requests of one credential take turns with those of others, on however many connections', async () => {
  const started = await startAll((client) => `Bearer ${client}`);
  expect(started.indexOf('bob')).toBeLessThan(SOON);
});

test('without credentials, connections take turns', async () => {
  const started = await startAll(() => undefined);
  expect(started.indexOf('bob')).toBe(FLOODING);
});

test('a connection that replaces no other one receives the reason, and when to try again', async () => {
  const connections = createConnections({ ...CONNECTION_LIMITS, max: 1 });
  const busy = connections.open(new Socket());
  const req = { socket: busy, headers: {} };
  connections.start(Object.assign(new EventEmitter(), { req }) as unknown as ServerResponse, () => undefined);
  const server = createServer((socket) => void connections.open(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  const answer = await text(client);
  server.close();
  expect(answer).toMatch(/^HTTP\/1\.1 503 /);
  expect(answer).toMatch(/^retry-after: [1-9]/m);
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({
    code: 'BUSY',
    detail: expect.stringContaining('All 1 connections of this server have a request in flight.'),
  });
});
