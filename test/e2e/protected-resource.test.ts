import {
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  selectResourceURL,
} from '@modelcontextprotocol/client';
import { afterAll, describe, expect, test } from 'vitest';
import { protectedResource } from '../../packages/server/src/auth/protected-resource.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { ask } from '../fixtures/http-server.ts';
import { startHttp } from '../fixtures/mcp-clients.ts';
import { AUDIENCE, startIssuer } from '../fixtures/token-issuer.ts';

const stops: (() => unknown)[] = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

describe('a server that accepts tokens of an issuer', async () => {
  const issuer = await startIssuer();
  const desk = openDesk();
  desk.write('toolwright.json', {
    auth: { jwt: { issuer: issuer.url, audience: AUDIENCE, jwksUri: issuer.jwksUri } },
    rateLimits: { address: { failedAuthenticationsPerMinute: 2 } },
  });
  const { url, stop } = await startHttp(desk, ['--sandbox', 'quickjs']);
  stops.push(stop, issuer.stop);
  const origin = new URL(url).origin;
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

  test('sends the address of the issuer to an MCP client without a token', async () => {
    const refused = await fetch(url, { method: 'POST', body: '{}' });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer realm="toolwright", resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
    );
    const { resourceMetadataUrl } = extractWWWAuthenticateParams(refused);
    const metadata = await discoverOAuthProtectedResourceMetadata(url, {
      resourceMetadataUrl: String(resourceMetadataUrl),
    });
    expect(metadata).toEqual({
      resource: url,
      authorization_servers: [issuer.url],
      bearer_methods_supported: ['header'],
      resource_name: 'Toolwright',
    });
    // Like a client without a header, which checks the server's name in the metadata.
    expect(await discoverOAuthProtectedResourceMetadata(url)).toEqual(metadata);
    expect((await selectResourceURL(url, {} as never, metadata))?.href).toBe(url);
    expect((await ask(`${origin}/.well-known/oauth-protected-resource`)).body).toEqual(metadata);
    expect((await ask(`${origin}/tools`, bearer(await issuer.token()))).status).toBe(200);
  });

  test('answers 429 to an address with too many wrong tokens, counts them, and accepts valid ones', async () => {
    const answers = [];
    for (let index = 0; index < 4; index++) answers.push(await ask(`${origin}/tools`, bearer(`wrong.${index}.x`)));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 429, 429]);
    expect(answers[0]?.headers.get('www-authenticate')).toMatch(/resource_metadata="[^"]+", error="invalid_token", /);
    expect(Number(answers[3]?.headers.get('retry-after'))).toBeGreaterThan(0);
    const right = bearer(await issuer.token());
    expect((await ask(`${origin}/tools`, right)).status).toBe(200);
    expect((await ask(`${origin}/metrics`, right)).body).toContain(
      'toolwright_quota_refusals_total{scope="address",quota="failed_authentications_per_minute"} 2',
    );
  });
});

test('a server without an issuer announces none', async () => {
  const { url, stop } = await startHttp(openDesk({}), ['--sandbox', 'quickjs']);
  stops.push(stop);
  const { origin } = new URL(url);
  expect((await ask(`${origin}/.well-known/oauth-protected-resource/mcp`)).status).toBe(404);
});

test.each([
  ['toolwright', 'http://tools.example.com/x', 'https://tools.example.com/mcp'],
  ['toolwright', 'http://127.0.0.1:8377/x', 'http://127.0.0.1:8377/mcp'],
  ['toolwright', 'http://127.example.com/x', 'https://127.example.com/mcp'],
  ['https://tools.example.com/mcp', 'http://10.0.0.7:8377/x', 'https://tools.example.com/mcp'],
])('the audience %s, asked at %s, is the resource %s', (audience, asked, resource) => {
  const jwksUri = 'https://login.example.com/keys';
  const known = protectedResource({ issuer: 'https://login.example.com', audience, jwksUri });
  expect(known?.resource(new Request(asked)).href).toBe(resource);
  expect(protectedResource({ issuer: 'nobody', audience, jwksUri })).toBeUndefined();
});
