import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ToolwrightError } from '../../packages/core/src/errors.ts';
import { logIds } from '../../packages/core/src/telemetry/log-ids.ts';
import { HttpProblem } from '../../packages/server/src/http/requests/problem.ts';
import { mcpServers } from '../../packages/server/src/mcp.ts';
import { createMetrics } from '../../packages/server/src/metrics/metrics.ts';
import { refusalOf, refuse } from '../../packages/server/src/refusal.ts';
import { ask, type HttpServer, startApi } from '../fixtures/http-server.ts';
import { partial } from '../fixtures/partial.ts';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const SENT = 'trace_1.a-B';
const REFUSED: Readonly<Record<string, HttpProblem>> = {
  nobody: new HttpProblem(401, 'UNAUTHENTICATED', 'Send a key.'),
  stranger: new HttpProblem(403, 'FORBIDDEN', 'Not yours.'),
  flooder: refusalOf(new ToolwrightError('QUOTA_EXCEEDED', 'Too many requests.')) as HttpProblem,
};
let server: HttpServer;

beforeAll(async () => {
  server = await startApi({
    metrics: createMetrics(),
    async authenticate(context, next) {
      const problem = REFUSED[context.req.header('authorization') ?? ''];
      if (problem) return refuse(context, problem);
      context.set('principal', { user: 'ada', credential: 'key' });
      return next();
    },
  });
});
afterAll(() => server?.close());

/** Sends a request with an id of the client, and one without. Both answers must have their id. */
async function expectIds(path: string, init: RequestInit = {}): Promise<number> {
  const headers = { 'content-type': 'application/json', ...(init.headers as Record<string, string>) };
  const leaving = new AbortController();
  const named = await fetch(`${server.url}${path}`, {
    ...init,
    headers: { ...headers, 'x-request-id': SENT },
    signal: leaving.signal,
  });
  const unnamed = await fetch(`${server.url}${path}`, { ...init, headers, signal: leaving.signal });
  expect([path, named.headers.get('x-request-id')]).toEqual([path, SENT]);
  expect([path, unnamed.headers.get('x-request-id')]).toEqual([path, expect.stringMatching(UUID)]);
  leaving.abort();
  return named.status;
}

const call = (method: string, meta: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...meta } });
const ACCEPT = { accept: 'application/json, text/event-stream' };
const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('X-Request-Id is in the answer', () => {
  test('of every documented route, and of all others', async () => {
    const { paths } = (await ask(`${server.url}/openapi.json`)).body;
    const routes = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ path: path.replaceAll(/\{\w+\}/g, 'x'), method: method.toUpperCase() })),
    );
    expect(routes.length).toBeGreaterThan(15);
    for (const { path, method } of routes) {
      await expectIds(path, { method, ...(method === 'GET' ? {} : { body: '{}' }) });
    }
    for (const path of ['/health', '/ready', '/metrics', '/openapi.json', '/docs', '/', '/missing'])
      await expectIds(path);
    for (const method of ['DELETE', 'OPTIONS', 'HEAD', 'PATCH']) await expectIds('/task', { method });
  });

  test.each([
    ['nobody', 401],
    ['stranger', 403],
    ['flooder', 429],
  ])('of a refusal of %s', async (authorization, status) => {
    for (const path of ['/tools', '/mcp', '/missing'])
      expect(await expectIds(path, { headers: { authorization } })).toBe(status);
  });

  test('of /mcp in both eras, also of streams and refusals', async () => {
    const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    expect(await expectIds('/mcp', { method: 'POST', headers: ACCEPT, body: call('initialize', initialize) })).toBe(
      200,
    );
    const modern = {
      ...ACCEPT,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
    };
    const body = call('tools/list', { _meta: MODERN_META });
    expect(await expectIds('/mcp', { method: 'POST', headers: modern, body })).toBe(200);
    for (const [init, status] of [
      [{ method: 'POST', headers: ACCEPT, body: '{' }, 400],
      [{ method: 'POST', headers: { ...ACCEPT, 'mcp-session-id': 'x' }, body: call('tools/list') }, 404],
      [{ method: 'GET', headers: ACCEPT }, 400],
      [{ method: 'PUT', headers: ACCEPT, body }, 405],
    ] as const) {
      expect([init.method, await expectIds('/mcp', init)]).toEqual([init.method, status]);
    }
    const begun = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: { ...ACCEPT, 'content-type': 'application/json' },
      body: call('initialize', initialize),
    });
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '', ...ACCEPT };
    await begun.body?.cancel();
    const stream = await fetch(`${server.url}/mcp`, { headers: { ...session, 'x-request-id': SENT } });
    expect([stream.status, stream.headers.get('content-type'), stream.headers.get('x-request-id')]).toEqual([
      200,
      'text/event-stream',
      SENT,
    ]);
    await stream.body?.cancel();
  });

  test('of an event stream', async () => {
    const body = JSON.stringify({ task: 'return 1' });
    const headers = { accept: 'text/event-stream' };
    expect(await expectIds('/task', { method: 'POST', headers, body })).toBe(200);
  });
});

test.each(['a b', 'a'.repeat(65), 'ä', 'a/b', 'a,b', ''])('the unsafe id %j is replaced', async (id) => {
  const value = Buffer.from(id, 'utf8').toString('latin1');
  const { headers } = await ask(`${server.url}/health`, { headers: { 'x-request-id': value } });
  expect(headers.get('x-request-id')).toMatch(UUID);
});

test('the log lines of a request have its id', async () => {
  const ids: (string | undefined)[] = [];
  const log = () => void ids.push(logIds().requestId);
  const tasks = { list: () => Promise.reject(new Error('a defect')) } as never;
  const logger = { info: log, warn: log, error: log };
  const mcp = mcpServers({ open: () => Promise.reject(new Error('a defect')), logger: partial(logger) });
  const logging = await startApi({ logger: partial(logger), tasks, mcp });
  try {
    const headers = { 'x-request-id': 'of-api' };
    const { status, body } = await ask(`${logging.url}/tasks`, { headers });
    expect([status, body.instance]).toEqual([500, 'of-api']);
    const modern = {
      ...ACCEPT,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'search_tools',
    };
    await ask(`${logging.url}/mcp`, {
      json: JSON.parse(call('tools/call', { name: 'search_tools', arguments: { query: 'x' }, _meta: MODERN_META })),
      headers: { ...modern, 'x-request-id': 'of-mcp' },
    });
    expect([...new Set(ids)]).toEqual(['of-api', 'of-mcp']);
  } finally {
    await logging.close();
  }
});
