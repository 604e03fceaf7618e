import { request } from 'node:http';
import { afterAll, expect, test, vi } from 'vitest';
import { apiKeys } from '../../packages/server/src/auth/api-keys.ts';
import { createBrowserLogin } from '../../packages/server/src/auth/browser-login.ts';
import { browserSessions, LINK_MS, SESSION_MS } from '../../packages/server/src/auth/browser-sessions.ts';
import { jwtVerifier } from '../../packages/server/src/auth/jwt.ts';
import { authentication } from '../../packages/server/src/auth.ts';
import { memoryStore } from '../../packages/storage/src/store.ts';
import { dashboardPage } from '../fixtures/dashboard-page.ts';
import { ask, startApi } from '../fixtures/http-server.ts';
import { partial } from '../fixtures/partial.ts';
import { AUDIENCE, startIssuer } from '../fixtures/token-issuer.ts';

const logger = { info: () => undefined, error: () => undefined };
const store = memoryStore();
const keys = apiKeys(store);
const issuer = await startIssuer();
const jwt = jwtVerifier({ issuer: issuer.url, audience: AUDIENCE, jwksUri: issuer.jwksUri });
const server = await startApi({
  authenticate: authentication({ keys, jwt, logger: partial(logger) }),
  browserLogin: createBrowserLogin({ store, keys, jwt, logger: partial(logger) }),
  streams: { heartbeatMs: 100 },
});
const local = await startApi();
afterAll(async () => {
  await Promise.all([server.close(), local.close()]);
  await issuer.stop();
});
const keyOf = async (user: string, scopes: string[] = []) => (await keys.create({ user, scopes })).text;

async function loggedIn(key: string) {
  const page = dashboardPage(server.url);
  const { status } = await page.send('POST', '/dashboard/session', { key });
  expect(status).toBe(200);
  return page;
}

test('a key starts a session that has the rights of the key until it is revoked', async () => {
  const { key, text } = await keys.create({ user: 'boss', scopes: ['executions:decide'] });
  const page = dashboardPage(server.url);
  expect((await page.send('GET', '/dashboard/session')).status).toBe(401);
  const { body, headers } = await page.send('POST', '/dashboard/session', { key: text });
  const roles = ['viewer', 'approver'];
  expect(body).toMatchObject({ user: 'boss', by: 'key', roles, allUsers: true, returnTo: '/' });
  const [cookie] = headers.getSetCookie();
  expect(cookie).toMatch(/^__Host-toolwright=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
  expect(JSON.stringify(body) + cookie).not.toContain(text);
  const got = await page.send('GET', '/dashboard/session');
  expect(got.body).toMatchObject({ user: 'boss', features: { tasks: true, admin: false, keys: true } });
  expect((await page.send('GET', '/executions?all=true')).status).toBe(200);
  expect((await page.send('POST', '/execute', { code: 'return 1' })).body).toMatchObject({ value: 1 });
  await keys.revoke(key.id);
  expect((await page.send('GET', '/executions')).status).toBe(401);
});

test('an open stream ends soon after its key was revoked, also one of a browser', async () => {
  const { key, text } = await keys.create({ user: 'boss' });
  const page = await loggedIn(text);
  const open = async (path: string, headers: Record<string, string>) => {
    const { body, status } = await fetch(`${server.url}${path}`, { headers });
    expect(status).toBe(200);
    return body as ReadableStream<Uint8Array>;
  };
  const site = { cookie: page.cookie(), 'sec-fetch-site': 'same-origin' };
  const bearer = (given: string) => ({ authorization: `Bearer ${given}` });
  const ending = await Promise.all([
    ...[open('/executions/events', site), open('/executions/events', bearer(text)), open('/events', bearer(text))],
  ]);
  const other = await open('/events', bearer(await keyOf('other')));
  const beats = other.getReader();
  await keys.revoke(key.id);
  for (const body of ending) for await (const _chunk of body);
  // The stream of another key still has heartbeats.
  for (let count = 0; count < 3; count++) expect((await beats.read()).done).toBe(false);
  await beats.cancel();
});

test('a token of the issuer starts a session that ends with it; a wrong or expired credential starts none', async () => {
  const page = dashboardPage(server.url);
  const { body } = await page.send('POST', '/dashboard/session', { key: await issuer.token() });
  expect(body).toMatchObject({ user: `${issuer.url}#ada`, by: 'token', allUsers: false });
  expect(Date.parse(body.expiresAt)).toBeLessThan(Date.now() + 400_000);
  const expired = await issuer.token({ exp: Math.floor(Date.now() / 1_000) - 120 });
  for (const key of ['twk_none', 'x', expired]) {
    const answer = await dashboardPage(server.url).send('POST', '/dashboard/session', { key });
    expect([answer.status, answer.body.code, answer.headers.getSetCookie()]).toEqual([401, 'UNAUTHENTICATED', []]);
  }
});

test('writes with the cookie come from pages of this server only', async () => {
  const page = await loggedIn(await keyOf('ada'));
  const write = (headers: Record<string, string>) => page.send('POST', '/execute', { code: 'return 1' }, headers);
  const port = Number(new URL(server.url).port);
  expect((await write({})).status).toBe(200);
  const others: Record<string, string>[] = [
    { origin: `http://127.0.0.1:${port + 1}`, 'sec-fetch-site': 'same-site' },
    { origin: `http://127.0.0.1:${port + 1}` },
    { origin: 'null' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  ];
  for (const headers of others) {
    const { status } = await write(headers);
    // Without its cookie, a request of another site has no credential.
    expect([headers, [401, 403].includes(status)]).toEqual([headers, true]);
  }
  const { cookie } = page;
  const bare = { cookie: cookie(), origin: server.url };
  const noHeader = await ask(`${server.url}/execute`, { json: { code: 'return 1' }, headers: bare });
  expect([noHeader.status, noHeader.body.code]).toEqual([403, 'FORBIDDEN']);
  const noOrigin = await ask(`${server.url}/execute`, {
    json: {},
    headers: { cookie: cookie(), 'x-toolwright-dashboard': '1' },
  });
  expect(noOrigin.status).toBe(403);
  const form = await page.send('POST', '/execute', { code: 'return 1' }, { 'content-type': 'text/plain' });
  expect(form.status).toBe(415);
  expect((await page.send('GET', '/executions', undefined, { 'sec-fetch-site': 'same-site' })).status).toBe(401);
  expect((await page.send('POST', '/mcp', {})).status).toBe(401);
  const login = await ask(`${server.url}/dashboard/session`, { json: { key: 'x' } });
  expect(login.status).toBe(403);
});

test('a logout ends the session, also for a copy of the cookie', async () => {
  const page = await loggedIn(await keyOf('ada'));
  const stolen = page.cookie();
  expect((await page.send('DELETE', '/dashboard/session', undefined, { origin: 'https://evil.example' })).status).toBe(
    403,
  );
  expect((await page.send('GET', '/executions')).status).toBe(200);
  expect((await page.send('DELETE', '/dashboard/session')).status).toBe(204);
  expect(page.cookie()).toBe('__Host-toolwright=');
  expect((await ask(`${server.url}/executions`, { headers: { cookie: stolen } })).status).toBe(401);
});

test('a link starts one session, on a server without keys only', async () => {
  const own = memoryStore();
  const browserLogin = createBrowserLogin({ store: own, logger: partial(logger) });
  const linked = await startApi({ browserLogin });
  try {
    const token = await browserLogin.createLink();
    const uses = await Promise.all(
      [1, 2].map(async () => {
        const page = dashboardPage(linked.url);
        return { page, ...(await page.send('POST', '/dashboard/session', { token })) };
      }),
    );
    expect(uses.map(({ status }) => status).sort()).toEqual([200, 401]);
    const first = uses.find(({ status }) => status === 200);
    expect(first?.body).toMatchObject({ user: 'local', by: 'link', roles: ['viewer', 'approver', 'admin'] });
    expect((await first?.page.send('GET', '/admin/servers'))?.status).toBe(200);
    expect((await dashboardPage(linked.url).send('GET', '/admin/servers')).status).toBe(403);
    const withKeys = browserSessions(own, keys);
    expect(await withKeys.useLink(await withKeys.createLink())).toBe(false);
    expect(await withKeys.find(first?.page.cookie().split('=')[1] ?? '')).toBeUndefined();
  } finally {
    await linked.close();
  }
});

test('sessions and links end by time, and only hashes of their secrets are stored', async () => {
  let now = Date.now();
  const own = memoryStore();
  const sessions = browserSessions(own, undefined, () => now);
  const { secret } = await sessions.start({ user: 'ada', credential: 'jwt:ada' }, 'token');
  now += SESSION_MS - 1;
  expect(await sessions.find(secret)).toMatchObject({ principal: { user: 'ada' } });
  now += 1;
  expect(await sessions.find(secret)).toBeUndefined();
  const names: string[] = [];
  for await (const name of own.namespaces('')) names.push(name);
  expect(names).toHaveLength(1);
  expect(names.join()).not.toContain(secret);
});

test('a link of `toolwright dashboard` is refused after 5 minutes', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const sessions = browserSessions(memoryStore(), undefined);
    const [used, old] = [await sessions.createLink(), await sessions.createLink()];
    expect(LINK_MS).toBe(5 * 60_000);
    vi.setSystemTime(Date.now() + LINK_MS - 1);
    expect(await sessions.useLink(used)).toBe(true);
    vi.setSystemTime(Date.now() + 1);
    expect(await sessions.useLink(old)).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});

test('an expired key starts no session, and ends the one that it has started', async () => {
  let now = Date.now();
  const own = memoryStore();
  const clocked = apiKeys(own, () => now);
  const { key, text } = await clocked.create({ user: 'ada', expiresDays: 1 });
  const sessions = browserSessions(own, clocked, () => now);
  const day = 86_400_000;
  now += day - 60_000;
  const { secret } = await sessions.start({ user: 'ada', credential: `key:${key.id}` }, 'key');
  expect(await sessions.find(secret)).toMatchObject({ principal: { user: 'ada' } });
  now += 60_000;
  expect(await sessions.find(secret)).toBeUndefined();
  const expired = await startApi({
    browserLogin: createBrowserLogin({ store: own, keys: clocked, logger: partial(logger) }),
  });
  try {
    const { status } = await dashboardPage(expired.url).send('POST', '/dashboard/session', { key: text });
    expect(status).toBe(401);
  } finally {
    await expired.close();
  }
});

test.each([
  ['/approvals?executionId=1#x', '/approvals?executionId=1#x'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['/.//evil.example', '/'],
  ['https://evil.example', '/'],
  ['javascript:alert(1)', '/'],
  ['', '/'],
])('after a login, %j leads to %j', async (returnTo, expected) => {
  const { body } = await dashboardPage(server.url).send('POST', '/dashboard/session', {
    key: await keyOf('ada'),
    returnTo,
  });
  expect(body.returnTo).toBe(expected);
});

test('a foreign Host header is refused on every route of the dashboard', async () => {
  for (const path of ['/dashboard/session', '/executions', '/executions/events']) {
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${local.url}${path}`, { headers: { host: 'evil.example' } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject).end();
    });
    expect([path, status]).toEqual([path, 403]);
  }
  expect((await ask(`${local.url}/dashboard/session`)).body).toMatchObject({
    user: 'local',
    by: 'local',
    allUsers: true,
  });
});
