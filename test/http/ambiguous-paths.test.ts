import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { startApi } from '../fixtures/http-server.ts';

const server = await startApi();
const { port } = new URL(server.url);
afterAll(() => server.close());

/** Sends a path as it is: other clients remove dot segments. */
function get(path: string): Promise<{ readonly status: number | undefined; readonly body: unknown }> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, path }, async (response) =>
      resolve({ status: response.statusCode, body: await json(response).catch(() => undefined) }),
    );
    asked.on('error', reject).end();
  });
}

const PARENTS = ['/sessions', '/skills', '/executions', '/tasks', '/health', '/ui', '/ui/assets', '/oauth'];
const DOTS = ['..', '.', '%2e%2e', '%2E.', '..%5C', '%2e'];

test.each(PARENTS.flatMap((parent) => DOTS.map((dots) => `${parent}/${dots}`)))('%s is refused', async (path) => {
  expect(await get(path)).toEqual({ status: 400, body: expect.objectContaining({ code: 'BAD_REQUEST' }) });
});

test('a path that leaves the API is no page of the dashboard', async () => {
  for (const path of ['/sessions/../ui', '/executions/../../ui/x', '/sessions\\..', '/ui/../sessions'])
    expect((await get(path)).status).toBe(400);
});
