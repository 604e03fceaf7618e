import { createHmac } from 'node:crypto';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveHono } from '../../../test/fixtures/hono-server.ts';
import { partial } from '../../../test/fixtures/partial.ts';
import { AUDIENCE, startIssuer, type TokenIssuer } from '../../../test/fixtures/token-issuer.ts';
import type { JwtSettings } from '../../core/src/config/sections/auth.ts';
import { DEFAULT_RATE_LIMITS } from '../../core/src/config/sections/rate-limits.ts';
import { memoryStore } from '../../storage/src/store.ts';
import { apiKeys } from './auth/api-keys.ts';
import { jwtVerifier } from './auth/jwt.ts';
import { type AuthenticationOptions, authentication, authInfoOf } from './auth.ts';
import type { PrincipalEnv } from './principal.ts';
import { rateLimiter } from './rate-limit.ts';

const stops: (() => unknown)[] = [];
afterAll(() => stops.map((stop) => stop()));
let issuer: TokenIssuer;
beforeAll(async () => {
  issuer = await startIssuer();
  stops.push(issuer.stop);
});

const logged: string[] = [];
const note = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
const logger = { info: note, error: note };

/** Starts a server that answers with the principal of a request. */
async function start(options: Partial<AuthenticationOptions> = {}) {
  const keys = apiKeys(memoryStore());
  const app = new Hono<PrincipalEnv>();
  app.use('*', authentication({ keys, logger: partial(logger), ...options }));
  app.get('/', (context) => context.json(context.get('principal')));
  const { url, stop } = await serveHono(app);
  stops.push(stop);
  return {
    keys,
    async get(headers: Record<string, string> = {}) {
      const response = await fetch(url, { headers });
      return {
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as Record<string, unknown>,
      };
    },
  };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const settings = (): JwtSettings => ({ issuer: issuer.url, audience: AUDIENCE, jwksUri: issuer.jwksUri });
const seconds = (fromNow: number) => Math.floor(Date.now() / 1000) + fromNow;
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('API keys over HTTP', () => {
  it('identify the user in either header', async () => {
    const { keys, get } = await start();
    const { key, text } = await keys.create({ user: 'ada' });
    const ada = { user: 'ada', credential: `key:${key.id}`, scopes: [] };
    expect((await get(bearer(text))).body).toEqual(ada);
    expect((await get({ authorization: `bearer   ${text}` })).body).toEqual(ada);
    expect((await get({ 'x-api-key': text })).body).toEqual(ada);
    expect(authInfoOf(ada)).toEqual({ token: '', clientId: `key:${key.id}`, scopes: [], extra: { user: 'ada' } });
  });

  it('are required: the 401 follows RFC 6750 and RFC 9457', async () => {
    const { get } = await start();
    const { status, headers, body } = await get();
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="toolwright"']);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(body).toEqual({
      type: 'urn:toolwright:error:UNAUTHENTICATED',
      title: 'Unauthorized',
      status: 401,
      code: 'UNAUTHENTICATED',
      detail: expect.stringContaining('"toolwright keys create" creates one'),
      instance: headers.get('x-request-id'),
    });
  });

  it.each([
    ['Basic YTpi'],
    ['Bearer'],
    ['Bearer a b'],
    ['Bearer twk_0000000000000000_00'],
    ['Bearer a, Bearer b'],
    [`Bearer ${'x'.repeat(8_000)}`],
  ])('are refused when they are %.40s', async (authorization) => {
    const { get } = await start();
    const { status, headers, body } = await get({ authorization });
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toMatch(
      /^Bearer realm="toolwright", error="invalid_token", error_description="[^"]+"$/,
    );
    expect(JSON.stringify(body)).not.toMatch(/twk_0|xxx|YTpi/);
  });

  it('are refused when a request has two', async () => {
    const { keys, get } = await start({ allowLocal: true });
    const { text } = await keys.create({ user: 'ada' });
    expect((await get({ ...bearer(text), 'x-api-key': text })).status).toBe(400);
    expect((await get({ 'x-api-key': `${text}, ${text}` })).status).toBe(401);
  });

  it('never appear in a log', async () => {
    const { keys, get } = await start();
    const { key, text } = await keys.create({ user: 'ada' });
    await keys.revoke(key.id);
    expect((await get(bearer(text))).status).toBe(401);
    expect(logged.at(-1)).toMatch(/a credential was refused/);
    expect(logged.join('\n')).not.toContain(text.slice(-64));
  });

  it('get 503 while the store is unreachable', async () => {
    const store = memoryStore();
    await store[Symbol.asyncDispose]();
    const { get } = await start({ keys: apiKeys(store) });
    const { status, headers, body } = await get(bearer(`twk_${'0'.repeat(16)}_${'0'.repeat(64)}`));
    expect([status, headers.get('retry-after'), body.code]).toEqual([503, '5', 'CLOSED']);
  });
});

it('accepts the local user without a credential, but no wrong credential', async () => {
  const { get } = await start({ allowLocal: true });
  expect((await get()).body).toEqual({ user: 'local', credential: 'local' });
  expect((await get(bearer('wrong'))).status).toBe(401);
});

it('answers 429 to an address with too many wrong credentials, and still accepts valid ones', async () => {
  const settings = {
    ...DEFAULT_RATE_LIMITS,
    address: { ...DEFAULT_RATE_LIMITS.address, failedAuthenticationsPerMinute: 2 },
  };
  const { failedAuthentication } = rateLimiter({ settings, store: memoryStore() });
  const { keys, get } = await start({ onFailure: failedAuthentication });
  const { text } = await keys.create({ user: 'ada' });
  const wrong = bearer(`twk_${'0'.repeat(16)}_${'0'.repeat(64)}`);
  const outcomes = [];
  for (const headers of [wrong, {}, {}, {}, wrong, wrong, { authorization: 'Basic YTpi' }, bearer(text)]) {
    outcomes.push((await get(headers)).status);
  }
  expect(outcomes).toEqual([401, 401, 401, 401, 401, 429, 429, 200]);
  const lines = logged.length;
  const { headers, body } = await get(wrong);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(body).toMatchObject({
    status: 429,
    code: 'QUOTA_EXCEEDED',
    detail: expect.stringMatching(/^Rate limit of this client address exceeded: 2 .* Retry in \d+ s\.$/),
  });
  expect(logged).toHaveLength(lines);
});

describe('tokens of an issuer', () => {
  it('identify the user, in addition to API keys', async () => {
    const { keys, get } = await start({ jwt: jwtVerifier(settings()) });
    const user = `${issuer.url}#ada`;
    expect((await get(bearer(await issuer.token()))).body).toEqual({ user, credential: `jwt:${user}`, scopes: [] });
    const { text } = await keys.create({ user: 'bob' });
    expect((await get(bearer(text))).body.user).toBe('bob');
  });

  it('name the user by the configured claim', async () => {
    const { get } = await start({ jwt: jwtVerifier({ ...settings(), userClaim: 'email' }) });
    const verified = { email_verified: true };
    const named = await get(bearer(await issuer.token({ email: 'ada@example.com', ...verified })));
    const user = `${issuer.url}#ada`;
    expect(named.body).toEqual({ user, name: 'ada@example.com', credential: `jwt:${user}`, scopes: [] });
    expect((await get(bearer(await issuer.token()))).status).toBe(401);
    expect((await get(bearer(await issuer.token({ email: 7, ...verified })))).status).toBe(401);
    expect((await get(bearer(await issuer.token({ email: 'a\nb', ...verified })))).status).toBe(401);
  });

  it.each(['email', 'upn', 'preferred_username'])(
    'are refused with an address in %s that nobody verified',
    async (claim) => {
      const { get } = await start({ jwt: jwtVerifier({ ...settings(), userClaim: claim }) });
      for (const email_verified of [undefined, false, 'false', 0, 1, null, 'é', {}]) {
        const sent = { [claim]: 'boss@example.com', ...(email_verified === undefined ? {} : { email_verified }) };
        const { status, headers, body } = await get(bearer(await issuer.token(sent)));
        expect([status, body.detail]).toEqual([
          401,
          expect.stringMatching(/"email_verified" is .* or set userClaim to "sub"/),
        ]);
        expect(headers.get('www-authenticate')).toContain('email_verified');
      }
      expect((await get(bearer(await issuer.token({ [claim]: 'a@x.example', email_verified: 'true' })))).status).toBe(
        200,
      );
    },
  );

  it('identify the user by the identifier of Entra ID, without an address', async () => {
    const { get } = await start({ jwt: jwtVerifier({ ...settings(), userClaim: 'oid' }) });
    const token = await issuer.token({ oid: '00000000-0000-0000-66f3-3332eca7ea81', email: 'boss@example.com' });
    const user = `${issuer.url}#00000000-0000-0000-66f3-3332eca7ea81`;
    expect((await get(bearer(token))).body).toEqual({ user, credential: `jwt:${user}`, scopes: [] });
    const long = await get(bearer(await issuer.token({ oid: 'x'.repeat(256) })));
    expect([long.status, long.body.detail]).toEqual([401, expect.stringMatching(/of at most 255/)]);
  });

  it('of two issuers are two users, with any subject and address', async () => {
    const other = await startIssuer();
    stops.push(other.stop);
    const claims = { sub: 'ada', email: 'ada@example.com', email_verified: true };
    const userOf = async ({ url, jwksUri, token }: TokenIssuer, more: object = {}) => {
      const jwt = jwtVerifier({ issuer: url, audience: AUDIENCE, jwksUri, userClaim: 'email' });
      return (await (await start({ jwt })).get(bearer(await token({ ...claims, ...more })))).body.user;
    };
    const first = await userOf(issuer);
    expect(await userOf(other)).not.toBe(first);
    // An address that was given to another person.
    expect(await userOf(issuer, { sub: 'bob' })).not.toBe(first);
    expect(await userOf(issuer, { email: 'ada@new.example' })).toBe(first);
  });

  it.each<[string, () => Promise<string>, RegExp]>([
    ['is expired', () => issuer.token({ exp: seconds(-60) }), /expired/],
    ['is not valid yet', () => issuer.token({ nbf: seconds(60) }), /"nbf"/],
    ['has no expiry', () => issuer.token({ exp: undefined as never }), /"exp"/],
    ['is for another audience', () => issuer.token({ aud: 'other' }), /"aud"/],
    ['comes from another issuer', () => issuer.token({ iss: 'https://other.example' }), /"iss"/],
    ['has no subject', () => issuer.token({ sub: undefined as never }), /"sub"/],
    ['names an unknown key', () => issuer.token({}, { kid: 'unknown' }), /key that the issuer does not have/],
    [
      'is signed by another issuer',
      async () => {
        const other = await startIssuer();
        const token = await other.token({ iss: issuer.url }, { kid: 'key-1' });
        await other.stop();
        return token;
      },
      /signature/,
    ],
    [
      'was changed',
      async () => {
        const [head, , signature] = (await issuer.token()).split('.');
        return `${head}.${part({ iss: issuer.url, aud: AUDIENCE, sub: 'root', exp: seconds(300) })}.${signature}`;
      },
      /signature/,
    ],
    [
      'has no signature',
      async () => {
        const claims = { iss: issuer.url, aud: AUDIENCE, sub: 'ada', exp: seconds(300) };
        return `${part({ alg: 'none' })}.${part(claims)}.`;
      },
      /algorithm|no API key and no JSON/,
    ],
    [
      'uses the public key as a shared secret',
      async () => {
        const claims = { iss: issuer.url, aud: AUDIENCE, sub: 'ada', exp: seconds(300) };
        const text = `${part({ alg: 'HS256', kid: 'key-1' })}.${part(claims)}`;
        return `${text}.${createHmac('sha256', await issuer.publicPem())
          .update(text)
          .digest('base64url')}`;
      },
      /algorithm/,
    ],
    ['is not a JSON Web Token', async () => 'a.b.c', /nor a JSON Web Token/],
  ])('are refused when a token %s', async (_what, make, reason) => {
    const { get } = await start({ jwt: jwtVerifier(settings()) });
    const token = await make();
    const { status, headers, body } = await get(bearer(token));
    expect([status, body.detail]).toEqual([401, expect.stringMatching(reason)]);
    expect(headers.get('www-authenticate')).toContain('error="invalid_token"');
    expect(logged.join('\n')).not.toContain(token);
  });

  it('are accepted after their expiry within the clock tolerance', async () => {
    const { get } = await start({ jwt: jwtVerifier({ ...settings(), clockToleranceSeconds: 120 }) });
    expect((await get(bearer(await issuer.token({ exp: seconds(-60) })))).status).toBe(200);
  });

  it('are refused when their algorithm is not configured', async () => {
    const { get } = await start({ jwt: jwtVerifier({ ...settings(), algorithms: ['RS256'] }) });
    expect((await get(bearer(await issuer.token()))).status).toBe(401);
  });

  it('are accepted with a new key, and refused with a removed key', async () => {
    const own = await startIssuer();
    stops.push(own.stop);
    const { get } = await start({ jwt: jwtVerifier({ ...settings(), issuer: own.url, jwksUri: own.jwksUri }, 0) });
    const old = await own.token();
    expect((await get(bearer(old))).status).toBe(200);
    await own.rotate();
    expect((await get(bearer(await own.token()))).status).toBe(200);
    expect((await get(bearer(old))).status).toBe(401);
  });

  it('with unknown keys do not cause repeated fetches of the keys', async () => {
    const own = await startIssuer();
    stops.push(own.stop);
    const { get } = await start({ jwt: jwtVerifier({ ...settings(), issuer: own.url, jwksUri: own.jwksUri }) });
    for (let index = 0; index < 5; index++) {
      expect((await get(bearer(await own.token({}, { kid: `no-${index}` })))).status).toBe(401);
    }
    expect(own.fetches()).toBe(1);
  });

  it.each(['error', 'garbage', 'gone'] as const)('get 503 while the keys are unreachable (%s)', async (mode) => {
    const own = await startIssuer();
    const { get } = await start({ jwt: jwtVerifier({ ...settings(), issuer: own.url, jwksUri: own.jwksUri }) });
    const token = await own.token();
    if (mode === 'gone') await own.stop();
    else own.mode = mode;
    const { status, headers, body } = await get(bearer(token));
    expect([status, headers.get('retry-after'), body.code]).toEqual([503, '5', 'AUTH_UNAVAILABLE']);
    expect(JSON.stringify(body)).not.toMatch(/127\.0\.0\.1/);
    if (mode === 'gone') return;
    own.mode = 'up';
    expect((await get(bearer(token))).status).toBe(200);
    await own.stop();
  });
});

it('an address that sends too many requests without a credential gets 429; credentials still work', async () => {
  const settings = {
    ...DEFAULT_RATE_LIMITS,
    address: { ...DEFAULT_RATE_LIMITS.address, unauthenticatedRequestsPerMinute: 2 },
  };
  const { unauthenticated } = rateLimiter({ settings, store: memoryStore() });
  const { keys, get } = await start({ onUnauthenticated: unauthenticated });
  const statuses = [];
  for (let number = 0; number < 4; number++) statuses.push((await get()).status);
  expect(statuses).toEqual([401, 401, 429, 429]);
  const { headers, body } = await get();
  expect([body.code, Number(headers.get('retry-after')) > 0]).toEqual(['QUOTA_EXCEEDED', true]);
  const { text } = await keys.create({ user: 'ada' });
  expect((await get(bearer(text))).status).toBe(200);
});
