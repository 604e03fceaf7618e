import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { sameOriginFetch } from './same-origin-fetch.ts';

it('sends any number of requests with one signal, without a warning', async () => {
  const server = createServer((_request, response) => response.end('x')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const own = sameOriginFetch(origin);
  const { signal } = new AbortController();
  const warned = vi.fn();
  process.on('warning', warned);
  const alive: Response[] = [];
  for (let sent = 0; sent < 1_600; sent++) {
    const response = await own(origin, { signal });
    await response.text();
    alive.push(response);
  }
  await setImmediate();
  process.off('warning', warned);
  expect(warned).not.toHaveBeenCalled();
  server.closeAllConnections();
  server.close();
});
