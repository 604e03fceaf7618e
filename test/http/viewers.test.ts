import { afterAll, expect, test } from 'vitest';
import { apiKeys } from '../../packages/server/src/auth/api-keys.ts';
import { createBrowserLogin } from '../../packages/server/src/auth/browser-login.ts';
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
const settings = { issuer: issuer.url, audience: AUDIENCE, jwksUri: issuer.jwksUri };
const jwt = jwtVerifier(settings);
const server = await startApi({
  authenticate: authentication({ keys, jwt, logger: partial(logger) }),
  browserLogin: createBrowserLogin({ store, keys, jwt, logger: partial(logger) }),
});
afterAll(async () => {
  await server.close();
  await issuer.stop();
});
const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
const keyOf = async (user: string, ...scopes: string[]) => bearer((await keys.create({ user, scopes })).text);
const viewer = await keyOf('ada', 'executions:read');
const all = await keyOf('boss', 'executions:read', 'executions:decide', 'servers:admin');

/** Requests of other methods than GET that send and change nothing, or need no credential. */
const READING = ['POST /executions/{id}/replay', 'POST /policy/test'];
const LOGIN = ['POST /dashboard/session', 'DELETE /dashboard/session', 'POST /dashboard/login'];
const paths = (await ask(`${server.url}/openapi.json`, { headers: viewer })).body.paths as Record<string, object>;
const routes = Object.entries(paths).flatMap(([path, item]) =>
  Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
);

test('a viewer reads, and every route that changes or decides is refused, also with other scopes', async () => {
  const writing = routes.filter((route) => !route.startsWith('GET ') && !LOGIN.includes(route));
  const refused: string[] = [];
  for (const route of writing) {
    const [method = '', path = ''] = route.split(' ');
    for (const headers of [viewer, all]) {
      const place = `${server.url}${path.replaceAll(/\{\w+\}/g, 'x')}`;
      const { status, body } = await ask(place, { method, headers, ...(method === 'DELETE' ? {} : { json: {} }) });
      if (status === 403 && /A viewer may only read/.test(body.detail)) refused.push(route);
    }
  }
  const expected = writing.filter((route) => !READING.includes(route));
  expect(expected.length).toBeGreaterThan(20);
  expect(refused).toEqual(expected.flatMap((route) => [route, route]));
  for (const path of ['executions', 'approvals', 'sessions', 'skills', 'tools']) {
    expect([path, (await ask(`${server.url}/${path}`, { headers: viewer })).status]).toEqual([path, 200]);
  }
});

test('a viewer has no MCP, where a model would run programs', async () => {
  for (const method of ['POST', 'GET', 'DELETE']) {
    const { status, body } = await ask(`${server.url}/mcp`, { method, headers: viewer });
    expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
  }
});

test('a viewer with further scopes reads the data that they allow', async () => {
  expect((await ask(`${server.url}/executions?all=true`, { headers: all })).status).toBe(200);
  expect((await ask(`${server.url}/executions?all=true`, { headers: viewer })).status).toBe(403);
  expect((await ask(`${server.url}/admin/servers`, { headers: all })).status).toBe(200);
});

test('a browser session of a viewer has this role alone, also by a token, and loses it with the scope of its key', async () => {
  const { text } = await keys.create({ user: 'eve', scopes: ['executions:read', 'servers:admin'] });
  for (const key of [text, await issuer.token({ scope: 'openid executions:read' })]) {
    const page = dashboardPage(server.url);
    const { body } = await page.send('POST', '/dashboard/session', { key });
    expect(body).toMatchObject({ roles: ['viewer'], features: { admin: false } });
    expect((await page.send('POST', '/execute', { code: 'return 1' })).status).toBe(403);
    expect((await page.send('GET', '/executions')).status).toBe(200);
    expect((await page.send('DELETE', '/dashboard/session')).status).toBe(204);
  }
});

test('a list in another claim has the scopes of a token too', async () => {
  const check = await jwtVerifier({ ...settings, scopeClaim: 'roles' })(
    await issuer.token({ scope: 'servers:admin', roles: ['executions:read', 7] }),
  );
  expect(check).toMatchObject({ is: 'valid', scopes: ['executions:read'] });
});
