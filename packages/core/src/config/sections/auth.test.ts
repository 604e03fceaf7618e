import { expect, it } from 'vitest';
import { parseConfig } from '../config.ts';
import { oidcDefaults } from './auth.ts';
import { DEFAULT_RATE_LIMITS } from './rate-limits.ts';

const jwt = { issuer: 'https://issuer.example', audience: 'toolwright', jwksUri: 'https://issuer.example/jwks' };
const parse = (root: Record<string, unknown>, env = {}) => parseConfig(root, { env });

it('accepts only API keys, with the default quotas, without any setting', () => {
  const { auth, rateLimits } = parse({});
  expect([auth, rateLimits]).toEqual([{}, DEFAULT_RATE_LIMITS]);
});

it('reads an issuer and quotas', () => {
  const { auth, rateLimits } = parse({
    auth: { jwt: { ...jwt, algorithms: ['ES256'], clockToleranceSeconds: 0 } },
    rateLimits: { user: { tokensPerDay: 0 }, key: { requestsPerMinute: 60 } },
  });
  expect(auth.jwt).toEqual({
    ...jwt,
    userClaim: 'sub',
    scopeClaim: 'scope',
    algorithms: ['ES256'],
    clockToleranceSeconds: 0,
  });
  expect(rateLimits.user).toEqual({ ...DEFAULT_RATE_LIMITS.user, tokensPerDay: 0 });
  expect(rateLimits.key).toEqual({ ...DEFAULT_RATE_LIMITS.key, requestsPerMinute: 60 });
  expect(parse({ auth: { jwt: { ...jwt, jwksUri: 'http://127.0.0.1:1/jwks' } } }).auth.jwt?.jwksUri).toMatch(/127/);
});

it('reads an OpenID provider, whose claims are those of the tokens unless it names others', () => {
  const oidc = { issuer: 'https://login.example.com', clientId: 'toolwright' };
  const { auth } = parse({ auth: { oidc } });
  expect(auth.oidc).toEqual({ ...oidc, scopes: ['openid'], endSession: false });
  const names = (settings: object, of?: object) => {
    const { userClaim, scopeClaim, name } = oidcDefaults({ ...oidc, ...settings }, of && { ...jwt, ...of });
    return [userClaim, scopeClaim, name];
  };
  expect(names({})).toEqual(['sub', 'scope', 'login.example.com']);
  expect(names({}, { userClaim: 'email', scopeClaim: 'roles' })).toEqual(['email', 'roles', 'login.example.com']);
  expect(names({ userClaim: 'name', name: 'Example' }, { userClaim: 'email' })).toEqual(['name', 'scope', 'Example']);
});

it.each<[Record<string, unknown>, RegExp]>([
  [{ auth: { oidc: { clientId: 'x' } } }, /auth\.oidc\.issuer/],
  [{ auth: { oidc: { clientId: 'x', issuer: 'http://login.example.com' } } }, /auth\.oidc\.issuer: expected an https/],
  [{ auth: { oidc: { clientId: 'x', issuer: 'https://x.example', scopes: ['email'] } } }, /scopes: expected "openid"/],
  [{ auth: { oidc: { clientId: 'x', issuer: 'https://x.example', secret: 'x' } } }, /auth\.oidc: unknown key "secret"/],
  [{ auth: { jwt: { issuer: 'a', audience: 'b' } } }, /auth\.jwt\.jwksUri/],
  [{ auth: { jwt: { ...jwt, jwksUri: 'http://issuer.example/jwks' } } }, /auth\.jwt\.jwksUri: expected an https/],
  [{ auth: { jwt: { ...jwt, jwksUri: 'file:///etc/passwd' } } }, /auth\.jwt\.jwksUri: expected an https/],
  [{ auth: { jwt: { ...jwt, algorithms: ['HS256'] } } }, /auth\.jwt\.algorithms\[0\]/],
  [{ auth: { jwt: { ...jwt, algorithms: ['none'] } } }, /auth\.jwt\.algorithms\[0\]/],
  [{ auth: { jwt: { ...jwt, algorithms: [] } } }, /auth\.jwt\.algorithms: must not be empty/],
  [{ auth: { jwt: { ...jwt, clockToleranceSeconds: 601 } } }, /clockToleranceSeconds: expected at most 600/],
  [{ auth: { jwt: { ...jwt, audiences: 'x' } } }, /auth\.jwt: unknown key "audiences"/],
  [{ auth: { jwt: { ...jwt, issuer: 'a#b' } } }, /auth\.jwt\.issuer: expected no "#"/],
  [{ auth: { jwks: {} } }, /auth: unknown key "jwks"/],
  [{ rateLimits: { user: { requestPerMinute: 5 } } }, /rateLimits\.user: unknown key "requestPerMinute"/],
  [{ rateLimits: { user: { tokensPerDay: -1 } } }, /rateLimits\.user\.tokensPerDay/],
  [{ rateLimit: {} }, /rateLimit: unknown key; did you mean "rateLimits"/],
])('rejects %j', (root, expected) => {
  expect(() => parse(root)).toThrow(expected);
});
