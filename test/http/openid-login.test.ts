import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { apiKeys } from '../../packages/server/src/auth/api-keys.ts';
import { createBrowserLogin } from '../../packages/server/src/auth/browser-login.ts';
import { type OpenIdProviderOptions, openIdProvider } from '../../packages/server/src/auth/openid-provider.ts';
import { authentication } from '../../packages/server/src/auth.ts';
import { memoryStore } from '../../packages/storage/src/store.ts';
import { dashboardPage } from '../fixtures/dashboard-page.ts';
import { type HttpServer, startApi } from '../fixtures/http-server.ts';
import { startOpenIdProvider } from '../fixtures/openid-provider.ts';
import { partial } from '../fixtures/partial.ts';

const CALLBACK = '/dashboard/login/callback';
const logged: string[] = [];
const log = (fields: object, message: string) => void logged.push(JSON.stringify({ ...fields, message }));
const logger = { info: log, error: log };
const store = memoryStore();
const keys = apiKeys(store);
const provider = await startOpenIdProvider();
/** The user id of the person `ada`. */
const ADA = `${provider.issuer}#ada`;
const opened: HttpServer[] = [];
type Settings = Partial<OpenIdProviderOptions['settings']>;

/** Starts a process of the API, which shares its store with the others. */
async function start(settings: Settings = {}, more: Partial<OpenIdProviderOptions> & { publicUrl?: string } = {}) {
  const { publicUrl, ...options } = more;
  const own = openIdProvider({
    settings: { issuer: provider.issuer, clientId: 'dashboard', name: 'the test', ...settings },
    readSecret: async () => 's3cret',
    ...options,
  });
  const browserLogin = createBrowserLogin({ store, keys, provider: own, publicUrl, logger: partial(logger) });
  const hostnames = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  const server = await startApi({
    browserLogin,
    publicUrl,
    hostnames,
    authenticate: authentication({ keys, logger: partial(logger) }),
  });
  opened.push(server);
  return server;
}

const server = await start();
const other = await start({}, { publicUrl: 'https://tools.example.com/tw' });
const another = await start({}, { publicUrl: 'https://tools.example.com/tw' });
const named = await start(
  { userClaim: 'email', scopes: ['openid', 'email'], endSession: true },
  { jwt: { issuer: 'x', audience: 'x', jwksUri: 'https://x.example', scopeClaim: 'roles' } },
);
const open = await start({ clientId: 'public' }, { readSecret: undefined });
await provider.register([
  ...[server, named, open].map(({ url }) => `${url}${CALLBACK}`),
  'https://tools.example.com/tw/dashboard/login/callback',
]);
afterAll(async () => {
  await Promise.all(opened.map((each) => each.close()));
  provider.stop();
});
beforeEach(() => {
  Object.assign(provider, { person: { sub: 'ada' }, change: undefined, isBroken: false });
});

/** Starts a login, and returns the address at the provider. */
async function begin(page: ReturnType<typeof dashboardPage>, returnTo?: string): Promise<URL> {
  const { status, body } = await page.send('POST', '/dashboard/login', returnTo === undefined ? {} : { returnTo });
  expect([status, body]).toMatchObject([200, { url: expect.any(String) }]);
  return new URL(body.url);
}

/** Logs in, and returns the answer of the callback. `change` changes its address. */
async function logIn(
  { url }: HttpServer,
  change: (callback: URL) => void = () => undefined,
  page = dashboardPage(url),
) {
  const callback = await provider.browse((await begin(page, '/ui/approvals?call=2')).href);
  change(callback);
  const { status, headers, body } = await page.visit(`${callback.pathname}${callback.search}`);
  const session = await page.send('GET', '/dashboard/session');
  return { page, callback, status, body: String(body), headers, session };
}

describe('the login at an OpenID provider', () => {
  test('starts the session of the person, with PKCE, state and nonce', async () => {
    const page = dashboardPage(server.url);
    expect((await page.send('GET', '/dashboard/login')).body).toEqual({ provider: { name: 'the test' } });
    const { searchParams } = await begin(page);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'dashboard',
      response_type: 'code',
      scope: 'openid',
      redirect_uri: `${server.url}${CALLBACK}`,
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    provider.tokenRequests.length = 0;
    const { status, headers, session } = await logIn(server);
    expect([status, headers.get('location')]).toEqual([303, '/ui/approvals?call=2']);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-toolwright-login=; Max-Age=0/),
      expect.stringMatching(/^__Host-toolwright=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Strict$/),
    ]);
    expect(session.body).toMatchObject({ user: ADA, by: 'provider', roles: ['viewer', 'approver'], scopes: [] });
    expect(Date.parse(session.body.expiresAt) - Date.now()).toBeGreaterThan(11 * 3_600_000);
    const [request] = provider.tokenRequests;
    expect(request?.body).toMatch(/code_verifier=[\w-]{43}/);
    expect(request?.headers.authorization).toMatch(/^Basic /);
    expect(logged.join()).not.toMatch(/s3cret|code_verifier|eyJ/);
  });

  test('of a client without a secret has PKCE alone', async () => {
    expect((await logIn(open)).session.body).toMatchObject({ user: ADA, by: 'provider' });
  });

  test('the cookie of a started login is short-lived, and only a secret', async () => {
    const answer = await dashboardPage(server.url).send('POST', '/dashboard/login', {});
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-toolwright-login=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
  });

  test('another process below the same public path ends it', async () => {
    const through = { origin: 'https://tools.example.com' };
    const [first, second] = [dashboardPage(other.url, through), dashboardPage(another.url, through)];
    const callback = await provider.browse((await begin(first, '/ui/sessions')).href);
    expect(callback.href).toMatch(/^https:\/\/tools\.example\.com\/tw\/dashboard\/login\/callback\?code=/);
    const { status, headers } = await second.visit(`${CALLBACK}${callback.search}`);
    // This browser did not start it.
    expect([status, headers.getSetCookie()]).toEqual([401, []]);
    const answer = await second.send('GET', `${CALLBACK}${callback.search}`, undefined, { cookie: first.cookie() });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/tw/ui/sessions']);
    expect((await second.send('GET', '/dashboard/session')).body).toMatchObject({ user: ADA });
  });

  test('the user and the scopes are those of the claims, a viewer included', async () => {
    const claims = { email: 'ada@example.com', email_verified: true, roles: ['x', 'executions:read'] };
    provider.person = { sub: 'a-1', claims };
    const { session, page } = await logIn(named);
    expect(session.body).toMatchObject({ user: `${provider.issuer}#a-1`, name: 'ada@example.com', roles: ['viewer'] });
    expect((await page.send('POST', '/execute', { code: 'return 1' })).status).toBe(403);
    provider.person = { sub: 'ada', claims: { scope: 'openid executions:decide servers:admin' } };
    const { body } = (await logIn(server)).session;
    expect(body).toMatchObject({ user: ADA, roles: ['viewer', 'approver', 'admin'], allUsers: true });
  });

  test('the user is the same with another address, and another one with the same address', async () => {
    const userOf = async (sub: string, email: string) => {
      provider.person = { sub, claims: { email, email_verified: true } };
      return (await logIn(named)).session.body.user;
    };
    const first = await userOf('a-4', 'ada@example.com');
    expect(await userOf('a-4', 'ada@new.example')).toBe(first);
    expect(await userOf('b-1', 'ada@example.com')).not.toBe(first);
  });

  test.each([
    ['no user name', {}, /claim &#34;email&#34; of the token is not a user name\. .*auth\.oidc\.scopes/],
    ...[undefined, false, 'false', 0, null].map((email_verified): [string, object, RegExp] => [
      `an address whose email_verified is ${JSON.stringify(email_verified) ?? 'absent'}`,
      { email: 'boss@x.example', ...(email_verified === undefined ? {} : { email_verified }) },
      /has not verified the address.*userClaim to &#34;sub&#34;/,
    ]),
  ])('is refused with %s', async (_name, claims, expected) => {
    provider.person = { sub: 'a-2', claims };
    const { status, body, session } = await logIn(named);
    expect([status, session.status]).toEqual([401, 401]);
    expect(body).toMatch(expected);
    expect(body).toContain('<a href="../../">Back to the login</a>');
  });

  test('a logout ends the session here, and leads to the logout of the provider if that is wanted', async () => {
    provider.person = { sub: 'a-3', claims: { email: 'c@x.example', email_verified: 'true' } };
    const { page } = await logIn(named);
    const { status, body } = await page.send('DELETE', '/dashboard/session');
    const url = new URL(body.url);
    expect([status, url.origin, url.searchParams.get('post_logout_redirect_uri')]).toEqual([
      ...[200, provider.issuer, `${named.url}/`],
    ]);
    expect((await page.send('GET', '/dashboard/session')).status).toBe(401);
    const { page: plain } = await logIn(server);
    expect((await plain.send('DELETE', '/dashboard/session')).status).toBe(204);
  });
});

describe('an attack on the login', () => {
  const refused = { status: 401, session: { status: 401 } };

  test.each([
    ['of another state', (url: URL) => url.searchParams.set('state', 'x'.repeat(43)), /not started in this browser/],
    ['without a state', (url: URL) => url.searchParams.delete('state'), /not started in this browser/],
    ['of another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example'), /does not belong/],
    ['without its issuer', (url: URL) => url.searchParams.delete('iss'), /does not belong/],
    ['with two codes', (url: URL) => url.searchParams.append('code', 'x'), /does not belong/],
    ['with a made-up code', (url: URL) => url.searchParams.set('code', 'x'), /invalid_grant/],
  ])('with a callback %s is refused', async (_name, change, expected) => {
    const answer = await logIn(server, change);
    expect(answer).toMatchObject(refused);
    expect(answer.body).toMatch(expected);
  });

  test('with a code of another login is refused: neither PKCE nor the nonce fit', async () => {
    const stolen = await provider.browse((await begin(dashboardPage(server.url))).href);
    const answer = await logIn(server, (url) => url.searchParams.set('code', stolen.searchParams.get('code') ?? ''));
    expect(answer).toMatchObject(refused);
    expect(answer.body).toMatch(/invalid_grant.*Log in again/);
  });

  test('with a used callback is refused, twice at once too', async () => {
    const page = dashboardPage(server.url);
    const callback = await provider.browse((await begin(page)).href);
    const cookie = page.cookie();
    const visits = await Promise.all(
      [1, 2].map(() => page.send('GET', `${CALLBACK}${callback.search}`, undefined, { cookie })),
    );
    expect(visits.map(({ status }) => status).sort()).toEqual([303, 401]);
    const third = await page.send('GET', `${CALLBACK}${callback.search}`, undefined, { cookie });
    expect([third.status, third.headers.getSetCookie()]).toEqual([401, []]);
  });

  const past = Math.floor(Date.now() / 1_000) - 600;
  test.each([
    ['of another nonce', { nonce: 'x' }, /not issued for this login/],
    ['without a nonce', { nonce: undefined }, /not issued for this login|does not belong/],
    ['of another issuer', { iss: 'https://evil.example' }, /not issued for this login/],
    ['for another client', { aud: 'other' }, /not issued for this login/],
    ['that has expired', { exp: past, iat: past - 60 }, /has expired/],
    ['without an expiry', { exp: undefined }, /refused/],
  ])('with an ID token %s is refused', async (_name, claims, expected) => {
    provider.change = (before) => ({ ...before, ...claims }) as typeof before;
    const answer = await logIn(server);
    expect(answer).toMatchObject(refused);
    expect(answer.body).toMatch(expected);
  });

  test('with a token that the provider did not sign is refused', async () => {
    provider.forges = true;
    try {
      const answer = await logIn(server);
      expect(answer).toMatchObject(refused);
    } finally {
      provider.forges = false;
    }
  });

  test('with a text of somebody else shows nothing of it', async () => {
    const page = dashboardPage(server.url);
    await begin(page);
    const { status, body } = await page.visit(`${CALLBACK}?error=x&error_description=Call+1-800-EVIL&state=guess`);
    expect([status, String(body)]).toEqual([401, expect.not.stringMatching(/EVIL/)]);
  });

  test.each(['//evil.example', 'https://evil.example', '/\\evil.example', '/.//evil.example', 'javascript:alert(1)'])(
    'leads to no other host by %j',
    async (returnTo) => {
      const page = dashboardPage(server.url);
      const callback = await provider.browse((await begin(page, returnTo)).href);
      expect((await page.visit(`${CALLBACK}${callback.search}`)).headers.get('location')).toBe('/');
    },
  );

  test('a page of another origin starts no login', async () => {
    const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const { status, headers } = await dashboardPage(server.url, evil).send('POST', '/dashboard/login', {});
    expect([status, headers.getSetCookie()]).toEqual([403, []]);
  });
});

describe('an error of the provider', () => {
  test('is shown with the fix, and without markup', async () => {
    provider.person = {
      ...{ sub: 'ada', error: { error: 'access_denied', error_description: 'Not for <b>you</b>' } },
    };
    const { status, body } = await logIn(server);
    expect(status).toBe(401);
    expect(body).toContain('access_denied (Not for &#60;b&#62;you&#60;/b&#62;). You cancelled the login');
  });

  test('in its metadata is a temporary one, until it answers again', async () => {
    const late = await start();
    await provider.register([`${late.url}${CALLBACK}`, `${server.url}${CALLBACK}`]);
    provider.isBroken = true;
    const { status, body, headers } = await dashboardPage(late.url).send('POST', '/dashboard/login', {});
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'AUTH_UNAVAILABLE', '5']);
    expect(body.detail).toMatch(/metadata of the provider cannot be read.*auth\.oidc\.issuer/);
    provider.isBroken = false;
    expect((await logIn(late)).session.body).toMatchObject({ user: ADA });
  });

  test.each<[string, Settings, Partial<OpenIdProviderOptions>, number, RegExp]>([
    ['another issuer', { issuer: provider.issuer.replace('127.0.0.1', 'localhost') }, {}, 401, /auth\.oidc\.issuer/],
    [
      ...(['an unreadable secret', {}] as const),
      { readSecret: () => Promise.reject(new Error('/etc/secret')) },
      ...([503, /^(?!.*\/etc).*/] as const),
    ],
  ])('%s names the setting', async (_name, settings, more, status, expected) => {
    const wrong = await start(settings, more);
    const answer = await dashboardPage(wrong.url).send('POST', '/dashboard/login', {});
    expect(answer.status).toBe(status);
    expect(answer.body.detail).toMatch(expected);
  });

  test('a wrong secret names the setting', async () => {
    const wrong = await start({}, { readSecret: async () => 'wrong' });
    await provider.register([`${wrong.url}${CALLBACK}`]);
    const { status, body } = await logIn(wrong);
    expect([status, body]).toEqual([401, expect.stringMatching(/invalid_client.*auth\.oidc\.clientSecret/)]);
  });

  test('without a provider, the start names the setting', async () => {
    const plain = await startApi();
    opened.push(plain);
    const page = dashboardPage(plain.url);
    expect((await page.send('GET', '/dashboard/login')).body).toEqual({});
    const { status, body } = await page.send('POST', '/dashboard/login', {});
    expect([status, body.detail]).toEqual([501, expect.stringMatching(/auth\.oidc/)]);
    expect((await page.visit(`${CALLBACK}?code=x`)).status).toBe(501);
  });
});
