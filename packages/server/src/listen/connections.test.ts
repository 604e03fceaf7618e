import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
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
