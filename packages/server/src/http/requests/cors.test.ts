import { createToolwright } from '@toolwright/core';
import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { partial } from '../../../../../test/fixtures/partial.ts';
import { warmQuickjs } from '../../../../../test/fixtures/warm-sandbox.ts';
import { httpApplication } from '../../http.ts';
import { mcpServers } from '../../mcp.ts';
import { HttpProblem } from './problem.ts';

const APP = 'https://app.example';
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
const toolwright = await createToolwright({ dataDir: temporaryFolder(), sandbox: warmQuickjs() });
afterAll(() => toolwright.close());

/** Returns a function that sends requests to a server that wants the key `right`. */
function serverWith(cors?: { readonly origins: readonly string[]; readonly credentials: boolean }) {
  const { fetch } = httpApplication({
    toolwright,
    logger: partial(logger),
    mcp: mcpServers({ open: async () => toolwright, logger: partial(logger) }),
    ...(cors ? { cors: { ...cors, origins: [...cors.origins] } } : {}),
    authenticate: async (context, next) => {
      if (context.req.header('authorization') !== 'Bearer right') {
        throw new HttpProblem(401, 'UNAUTHENTICATED', 'Send a key.', { headers: { 'www-authenticate': 'Bearer' } });
      }
      context.set('principal', { user: 'ada', credential: 'key' });
      await next();
    },
  });
  return async (method: string, path: string, headers: Record<string, string>, body?: string) => {
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: { host: 'localhost', ...headers },
      ...(body === undefined ? {} : { body }),
    });
    return fetch(request);
  };
}

const PREFLIGHT = {
  origin: APP,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type',
};
const KEY = { authorization: 'Bearer right' };

/** Returns the headers of CORS in a response. */
function permissions(response: Response): Record<string, string> {
  return Object.fromEntries([...response.headers].filter(([name]) => name.startsWith('access-control-')));
}

describe('with one allowed origin', () => {
  const send = serverWith({ origins: [APP], credentials: false });

  test('a preflight needs no key, and names the origin, the methods and the headers', async () => {
    const response = await send('OPTIONS', '/execute', PREFLIGHT);
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(permissions(response)).toEqual({
      'access-control-allow-origin': APP,
      'access-control-allow-methods': 'GET,HEAD,POST,PUT,PATCH,DELETE',
      'access-control-allow-headers': 'authorization,content-type',
      'access-control-expose-headers': expect.stringContaining('X-Request-Id'),
      'access-control-max-age': '600',
    });
    expect(response.headers.get('vary')).toMatch(/origin/i);
  });

  test('a page may run programs with its key, and read the errors', async () => {
    const headers = { origin: APP, 'content-type': 'application/json', ...KEY };
    const response = await send('POST', '/execute', headers, '{"code":"return 1 + 1"}');
    expect([response.status, await response.json()]).toMatchObject([200, { value: 2 }]);
    expect(permissions(response)['access-control-allow-origin']).toBe(APP);
    expect(permissions(response)).not.toHaveProperty('access-control-allow-credentials');
    const refused = await send('POST', '/execute', { ...headers, authorization: 'Bearer wrong' }, '{}');
    expect([refused.status, permissions(refused)['access-control-allow-origin']]).toEqual([401, APP]);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
  });

  test.each(['https://evil.example', `${APP}.evil.example`, 'http://app.example', 'null', `${APP}:8443`])(
    'a page of %s gets no permission and no answer',
    async (origin) => {
      for (const [method, headers] of [
        ['OPTIONS', { ...PREFLIGHT, origin }],
        ['GET', { origin, ...KEY }],
      ] as const) {
        const response = await send(method, '/tools', headers);
        expect([response.status, permissions(response)]).toEqual([403, {}]);
        expect(await response.json()).toMatchObject({ code: 'FORBIDDEN' });
      }
    },
  );

  test('another host name is refused for an allowed origin too', async () => {
    expect((await send('GET', '/tools', { origin: APP, host: 'evil.example', ...KEY })).status).toBe(403);
  });

  test('a program without an origin gets no headers of CORS', async () => {
    const response = await send('GET', '/tools', KEY);
    expect([response.status, permissions(response)]).toEqual([200, {}]);
  });
});

test('with credentials, the origin is named, never *', async () => {
  const send = serverWith({ origins: [APP, 'https://other.example'], credentials: true });
  for (const origin of [APP, 'https://other.example']) {
    const response = await send('OPTIONS', '/execute', { ...PREFLIGHT, origin });
    expect(permissions(response)).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
    });
    expect(JSON.stringify(permissions(response))).not.toContain('*');
  }
});

test('without the setting, every other origin is refused, and the error names the setting', async () => {
  const response = await serverWith()('OPTIONS', '/execute', PREFLIGHT);
  expect([response.status, permissions(response)]).toEqual([403, {}]);
  expect(await response.json()).toMatchObject({ detail: expect.stringContaining('"cors.origins"') });
});

test.each(['POST', 'GET'])(
  '%s /internal/mcp-call answers with one sentence that names the replacement',
  async (method) => {
    const send = serverWith();
    const response = await send(method, '/internal/mcp-call', KEY);
    expect([response.status, await response.json()]).toMatchObject([
      410,
      {
        code: 'NOT_SUPPORTED',
        detail:
          'There are no calls of sandboxes over HTTP: a program calls tools through the channel that the server opens for its execution. Send the program to POST /execute.',
      },
    ]);
    expect((await send(method, '/internal/mcp-call', {})).status).toBe(401);
  },
);
