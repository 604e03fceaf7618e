import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';

import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { collect } from '../../../../../test/fixtures/garbage.ts';
import { startProxy } from '../../../../../test/fixtures/proxy.ts';
import { mcpConnector } from '../../mcp.ts';
import { sameOriginFetch } from './same-origin-fetch.ts';

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});
afterEach(() => vi.unstubAllEnvs());

/** Starts a server that redirects. Returns its origin and the received requests. */
async function start(answer: (path: string) => { status: number; location?: string }) {
  const seen: { method: string; path: string; body: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    seen.push({ method, path, headers, body: await text(request) });
    const { status, location } = answer(path);
    response.writeHead(status, location === undefined ? {} : { location }).end(path);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { seen, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

it('follows redirects within the origin, with body and headers', async () => {
  const { origin, seen } = await start((path) => (path === '/a' ? { status: 307, location: '/b' } : { status: 200 }));
  const own = sameOriginFetch(origin);
  const response = await own(`${origin}/a`, { method: 'POST', body: 'x', headers: { 'x-key': 'secret' } });
  expect(await response.text()).toBe('/b');
  expect(seen.map(({ method, path, body, headers }) => [method, path, body, headers['x-key']])).toEqual([
    ['POST', '/a', 'x', 'secret'],
    ['POST', '/b', 'x', 'secret'],
  ]);
});

it.each([301, 302, 303])('names the new address of a server that has moved (HTTP %i)', async (status) => {
  const { origin } = await start((path) => (path === '/a' ? { status, location: '/b?key=secret' } : { status: 200 }));
  await expect(sameOriginFetch(origin)(`${origin}/a`, { method: 'POST', body: 'x' })).rejects.toMatchObject({
    code: 'UPSTREAM_PROTOCOL',
    message: `The server has moved to ${origin}/b (HTTP ${status}). Configure this address: such a redirect loses the request.`,
  });
});

it('stops after too many redirects', async () => {
  const { origin, seen } = await start(() => ({ status: 302, location: '/again' }));
  await expect(sameOriginFetch(origin)(origin)).rejects.toMatchObject({ code: 'UPSTREAM_PROTOCOL' });
  expect(seen).toHaveLength(6);
});

it.each(['http', 'sse'] as const)('sends no header of a server (%s) to another origin', async (type) => {
  const other = await start(() => ({ status: 200 }));
  const server = await start(() => ({ status: 307, location: `${other.origin}/mcp` }));
  const config = { url: `${server.origin}/mcp`, type, headers: { 'X-API-Key': 'secret' } };
  const connector = mcpConnector('up', config, {});
  await expect(connector.tools()).rejects.toThrow(/leads to http:\/\/127\.0\.0\.1/);
  await connector[Symbol.asyncDispose]();
  expect(server.seen.length).toBeGreaterThan(0);
  expect(other.seen).toEqual([]);
});

it.each(['directly', 'through a proxy'])('ends a stream %s, also after its request was collected', async (way) => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': open\n\n', () => server.emit('stream opened'));
    response.on('close', () => server.emit('stream closed'));
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const [opened, closed] = [once(server, 'stream opened'), once(server, 'stream closed')];
  const { port } = server.address() as AddressInfo;
  await using proxy = await startProxy({ hosts: { 'server.test': port } });
  if (way !== 'directly') vi.stubEnv('HTTP_PROXY', proxy.url);
  const origin = way === 'directly' ? `http://127.0.0.1:${port}` : 'http://server.test';
  const ending = new AbortController();
  const open = async (): Promise<Promise<string>> => {
    const { signal } = ending;
    return (await sameOriginFetch(origin)(origin, { method: 'POST', body: 'x', signal }))
      .text()
      .catch(({ name }) => name);
  };
  const reading = open();
  await opened;
  for (let turn = 0; turn < 5; turn++) {
    collect();
    await setImmediate();
  }
  ending.abort();
  await closed;
  expect(await reading).toBe('AbortError');
});
