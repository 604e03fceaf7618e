import { afterAll, expect, onTestFinished, test } from 'vitest';
import { connectorMaker } from '../../../../test/fixtures/connectors.ts';
import { failureOf, listen, until } from '../../../../test/fixtures/server.ts';

const both = await listen('http', 'era=both');
const legacy = await listen('http', 'era=legacy', 'token=t0p-s3cr3t');
const sse = await listen('sse');
const sessions = await listen('sessions');
afterAll(() => Promise.all([both, legacy, sse, sessions].map((server) => server.close())));

const connector = connectorMaker();

test('Streamable HTTP of 2026-07-28', async () => {
  const web = connector('web', { url: `${both.origin}/mcp` });
  expect(await web.call('add', { a: 1, b: 2 })).toEqual({ sum: 3 });
  expect(web.status()).toEqual({ state: 'ready', starts: 1, protocol: '2026-07-28' });
  expect((await failureOf(web.call('add', { a: 'x', b: 2 }))).code).toBe('TOOL_FAILED');
  expect((await failureOf(web.call('hang', {}, { timeoutMs: 200 }))).code).toBe('TOOL_TIMEOUT');
  await until(async () => JSON.stringify(await web.call('cancelled', {})) === '["hang"]');
});

test('Streamable HTTP of 2025-11-25, with headers', async () => {
  const web = connector('web', { url: legacy.origin, headers: { 'X-Token': 't0p-s3cr3t' } });
  expect(await web.call('add', { a: 1, b: 2 })).toEqual({ sum: 3 });
  expect(web.status()).toEqual({ state: 'ready', starts: 1, protocol: '2025-11-25' });
});

test.each(['http', 'sse'])(
  'whole numbers beyond 2^53 keep their digits in both directions, in the body %s',
  async (body) => {
    const server = await listen('numbers', body);
    onTestFinished(server.close);
    const web = connector('web', { url: `${server.origin}/mcp`, type: 'http' });
    for (const id of [9_007_199_254_740_993n, -(10n ** 99n), 7]) {
      expect(await web.call('get', { json: `[${id}]` })).toEqual({ data: [id] });
      expect(await web.call('textual', { json: `[${id}]` })).toEqual({ data: [id] });
      expect(await web.call('put', { any: id })).toBe(`received {"any":${id}}`);
    }
  },
);

test('names a rejected credential without its value', async () => {
  const headers = { 'X-Token': 'wr0ng-s3cr3t' };
  const failure = await failureOf(connector('web', { url: `${legacy.origin}/mcp?key=qu3ry-s3cr3t`, headers }).tools());
  expect([failure.code, failure.message]).toEqual([
    'UPSTREAM_UNAVAILABLE',
    `web could not connect to ${legacy.origin}/mcp: HTTP 401: check the credentials in mcpServers.web.headers. The server says: bad token [redacted].`,
  ]);
});

test('HTTP+SSE, by its type and as a fallback', async () => {
  const named = connector('named', { url: `${sse.origin}/sse`, type: 'sse' });
  expect(await named.call('old', {})).toBe('over sse');
  expect(named.status()).toEqual({ state: 'ready', starts: 1, protocol: '2024-11-05' });
  const found = connector('found', { url: `${sse.origin}/sse` });
  expect(await found.call('old', {})).toBe('over sse');
  expect(found.status()).toEqual({ state: 'ready', starts: 2, protocol: '2024-11-05' });
  const fixed = await failureOf(connector('fixed', { url: `${sse.origin}/sse`, type: 'http' }).tools());
  expect(fixed.message).toBe(`fixed could not connect to ${sse.origin}/sse: HTTP 405.`);
});

test('a broken event stream fails its calls, and the next call connects again', async () => {
  const named = connector('named', { url: `${sse.origin}/sse`, type: 'sse' });
  await named.tools();
  const failure = await failureOf(named.call('break', {}));
  expect(failure.code).toBe('UPSTREAM_UNAVAILABLE');
  expect(failure.message).toContain('may have taken effect, and was not repeated');
  expect(await named.call('old', {})).toBe('over sse');
});

test('a truncated answer fails its call at once', async () => {
  const web = connector('web', { url: sessions.origin });
  const failure = await failureOf(web.call('drop', {}));
  expect([failure.code, failure.message]).toEqual([
    'UPSTREAM_UNAVAILABLE',
    'web ended its answer to drop early: the call may have taken effect, and was not repeated.',
  ]);
});

test('ends the session on close, and replaces a lost session', async () => {
  const count = async (): Promise<number> => Number(await (await fetch(`${sessions.origin}/count`)).text());
  const before = await count();
  const web = connector('web', { url: sessions.origin });
  expect(await web.call('live', {})).toBe('alive');
  expect(await count()).toBe(before + 1);
  await web.call('forget', {});
  expect(await web.call('live', {})).toBe('alive');
  expect(web.status()).toMatchObject({ starts: 3, protocol: '2025-06-18' });
  expect(await count()).toBe(1);
  await web[Symbol.asyncDispose]();
  expect(await count()).toBe(0);
});

test('notices a server that goes down, and uses it again after its return', async () => {
  const gone = await listen('http', 'era=both');
  const web = connector('web', { url: gone.origin });
  await web.tools();
  await gone.close();
  expect((await failureOf(web.call('add', { a: 1, b: 2 }))).code).toBe('UPSTREAM_UNAVAILABLE');
  const failure = await failureOf(web.call('add', { a: 1, b: 2 }));
  expect(failure.message).toMatch(
    /^web could not connect to http:\/\/127\.0\.0\.1:\d+\/: network error ECONNREFUSED\. No server listens there: start the server, or fix mcpServers\.web\.url\.$/,
  );
});
