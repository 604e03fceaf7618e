import { expect, it } from 'vitest';
import { parseConfig } from './config.ts';
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
  expect(auth.jwt).toEqual({ ...jwt, userClaim: 'sub', algorithms: ['ES256'], clockToleranceSeconds: 0 });
  expect(rateLimits.user).toEqual({ ...DEFAULT_RATE_LIMITS.user, tokensPerDay: 0 });
  expect(rateLimits.key).toEqual({ ...DEFAULT_RATE_LIMITS.key, requestsPerMinute: 60 });
  expect(parse({ auth: { jwt: { ...jwt, jwksUri: 'http://127.0.0.1:1/jwks' } } }).auth.jwt?.jwksUri).toMatch(/127/);
});

it.each<[Record<string, unknown>, RegExp]>([
  [{ auth: { jwt: { issuer: 'a', audience: 'b' } } }, /auth\.jwt\.jwksUri/],
  [{ auth: { jwt: { ...jwt, jwksUri: 'http://issuer.example/jwks' } } }, /auth\.jwt\.jwksUri: expected an https/],
  [{ auth: { jwt: { ...jwt, jwksUri: 'file:///etc/passwd' } } }, /auth\.jwt\.jwksUri: expected an https/],
  [{ auth: { jwt: { ...jwt, algorithms: ['HS256'] } } }, /auth\.jwt\.algorithms\[0\]/],
  [{ auth: { jwt: { ...jwt, algorithms: ['none'] } } }, /auth\.jwt\.algorithms\[0\]/],
  [{ auth: { jwt: { ...jwt, algorithms: [] } } }, /auth\.jwt\.algorithms: must not be empty/],
  [{ auth: { jwt: { ...jwt, clockToleranceSeconds: 601 } } }, /clockToleranceSeconds: expected at most 600/],
  [{ auth: { jwt: { ...jwt, audiences: 'x' } } }, /auth\.jwt: unknown key "audiences"/],
  [{ auth: { jwks: {} } }, /auth: unknown key "jwks"/],
  [{ rateLimits: { user: { requestPerMinute: 5 } } }, /rateLimits\.user: unknown key "requestPerMinute"/],
  [{ rateLimits: { user: { tokensPerDay: -1 } } }, /rateLimits\.user\.tokensPerDay/],
  [{ rateLimit: {} }, /rateLimit: unknown key; did you mean "rateLimits"/],
])('rejects %j', (root, expected) => {
  expect(() => parse(root)).toThrow(expected);
});
