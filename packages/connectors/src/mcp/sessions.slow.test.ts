import { afterAll, expect, test } from 'vitest';
import { connectorMaker } from '../../../../test/fixtures/connectors.ts';
import { failureOf, listen } from '../../../../test/fixtures/server.ts';

const connector = connectorMaker();
const open: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(open.map((server) => server.close())));

async function started(name: string, form: string) {
  const server = await listen(name, form);
  open.push(server);
  const ask = async (path: string) => (await fetch(`${server.origin}${path}`)).text();
  return { ...server, ask };
}

test.each(['404', '400', 'plain-400', '410', '401', '403', '200', 'own-code', 'sse', 'python'])(
  'a request of a lost session (%s) is sent once in a new one',
  async (form) => {
    const { origin, ask } = await started('sessions', form);
    const web = connector('web', { url: origin, protocol: 'legacy' });
    expect(await web.call('live', {})).toBe('alive');
    await ask('/forget');
    expect(await Promise.all([web.call('live', {}), web.call('live', {})])).toEqual(['alive', 'alive']);
    expect(await ask('/calls')).toBe('3');
    expect(web.status()).toMatchObject({ state: 'ready', starts: 2 });
  },
);

test('a call that found no server at its address is sent again when the server is back', async () => {
  const server = await listen('sessions', '404');
  const port = new URL(server.origin).port;
  let isAbsent: (line: string) => void = () => {};
  const absent = new Promise<string>((resolve) => {
    isAbsent = resolve;
  });
  const web = connector('web', { url: server.origin, protocol: 'legacy' }, (line) => {
    if (line.includes('is not at its address')) isAbsent(line);
  });
  await web.call('live', {});
  await server.close();
  const call = web.call('live', {});
  expect(await absent).toContain('the request is sent again in 200 ms');
  const again = await listen('sessions', '404', port);
  open.push(again);
  expect(await call).toBe('alive');
  expect(await (await fetch(`${again.origin}/calls`)).text()).toBe('1');
});

test('an unavailable session (503) is replaced, and its call is not sent again', async () => {
  const { origin, ask } = await started('sessions', '503');
  const web = connector('web', { url: origin, protocol: 'legacy' });
  await web.call('live', {});
  await ask('/forget');
  expect((await failureOf(web.call('live', {}))).message).toBe(
    'web: HTTP 503. The server says: restarting. About live: the call may have taken effect, and was not repeated.',
  );
  expect(await web.call('live', {})).toBe('alive');
});

test('an error of a tool about its own session does not end that of the connection', async () => {
  const { origin, ask } = await started('sessions', '400');
  const web = connector('web', { url: origin, protocol: 'legacy' });
  expect((await failureOf(web.call('own', {}))).message).toBe('Browser session not found');
  expect([await ask('/calls'), web.status().starts]).toEqual(['1', 1]);
});

const said = (status: number, words: string, more: object = {}) => ({ said: words, status, ...more });

test.each([
  [429, 'correct'],
  [503, 'HTTP 503: try again after 0 s'],
])('after HTTP %i with Retry-After, a call without a certain effect is sent again', async (status, outcome) => {
  const { origin } = await started('deviant', 'http');
  const web = connector('web', { url: origin, protocol: 'legacy' });
  const call = web.call('say', said(status, 'busy', { times: 2, headers: { 'retry-after': '0' } }));
  expect(await call.catch((error: Error) => error.message)).toContain(outcome);
});

test('a tool that only reads is sent again after HTTP 503 with Retry-After', async () => {
  const { origin } = await started('deviant', 'http');
  const web = connector('web', { url: origin, protocol: 'legacy' });
  await web.tools();
  expect(await web.call('read', said(503, 'busy', { times: 1, headers: { 'retry-after': '0' } }))).toBe('correct');
});

test('a long pause is for the program to decide about', async () => {
  const { origin } = await started('deviant', 'http');
  const web = connector('web', { url: origin, protocol: 'legacy' });
  const failure = await failureOf(web.call('say', said(429, '', { headers: { 'retry-after': '120' } })));
  expect(failure.message).toBe(
    'web: HTTP 429: try again after 120 s. The server rejected the call of say, which had no effect.',
  );
});

const error = (code: unknown, message: string, data?: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, error: { code, message, data } });

test.each([
  [400, error(-32602, 'owner must not be empty'), 'application/json', 'owner must not be empty'],
  [500, error(-32603, 'no such table'), 'application/json', 'no such table'],
  [422, error(-32602, 'Invalid params', { field: 'owner' }), '', 'Invalid params: field owner'],
  [404, error(-32601, 'no tool'), 'application/json', 'no tool'],
  [403, '{"error":"insufficient_rights","message":"ask Ann"}', 'application/json', 'insufficient_rights: ask Ann.'],
  [400, '{"detail":"bad owner"}', 'application/json', 'web: HTTP 400. The server says: bad owner. The server rejected'],
  [400, 'owner must\n\nnot be empty.', 'text/plain', 'The server says: owner must not be empty. The server rejected'],
  [502, '<html><head><title>Bad Gateway</title>', 'text/html', 'an HTML page with the title "Bad Gateway".'],
  [400, '{"key":"s3cr3t-k3y"}', 'application/json', 'The server says: {"key":"'],
  [500, '', '', 'web: HTTP 500. About say'],
])('a refusal (HTTP %i, %s) keeps the words of the server', async (status, body, type, words) => {
  const { origin } = await started('deviant', 'http');
  const web = connector('web', { url: origin, protocol: 'legacy', headers: { 'x-key': 's3cr3t-k3y' } });
  const { message } = await failureOf(web.call('say', said(status, body, { type })));
  expect(message).toContain(words);
  expect(message).not.toContain('s3cr3t');
  expect((await failureOf(web.call('say', said(400, 'x'.repeat(100_000))))).message.length).toBeLessThan(2_300);
});
