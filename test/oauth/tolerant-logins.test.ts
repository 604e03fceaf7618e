import { afterAll, expect, it } from 'vitest';
import { memoryStore } from '../../packages/storage/src/store.ts';
import { connectorOf } from '../fixtures/oauth-client.ts';
import { type IssuerOptions, type OAuthIssuer, startOAuthIssuer } from '../fixtures/oauth-issuer.ts';
import { failureOf } from '../fixtures/server.ts';

const RESOURCE = '/.well-known/oauth-protected-resource';
const METADATA = '/.well-known/oauth-authorization-server';
const html = { body: '<!doctype html><title>Home</title>' };
const issuers: OAuthIssuer[] = [];
afterAll(() => Promise.all(issuers.map((issuer) => issuer.stop())));

const CASES: Readonly<Record<string, IssuerOptions>> = {
  'null members of the issuer': { metadata: { revocation_endpoint: null, scopes_supported: null, jwks_uri: null } },
  'null members of the server': { resource: { scopes_supported: null, resource_name: null } },
  'members of another type': {
    metadata: { revocation_endpoint: '', scopes_supported: 'a b', grant_types_supported: {}, ui_locales_supported: 5 },
  },
  'lists that are texts': { metadata: { response_types_supported: 'code', code_challenge_methods_supported: 'S256' } },
  'a registration with an id only': { answers: { '/register': { status: 201, body: '{"client_id":"client-1"}' } } },
  'a registration with null members': {
    answers: {
      '/register': { status: 200, body: '{"client_id":"client-1","redirect_uris":null,"client_secret":null}' },
    },
  },
  'a registration with a number as its id': { answers: { '/register': { status: 201, body: '{"client_id":12345}' } } },
  'a registration with members of other types': {
    answers: {
      '/register': {
        status: 201,
        body: '{"client_id":"client-1","client_id_issued_at":"now","grant_types":"code","redirect_uris":[]}',
      },
    },
  },
  'an issuer that is a text': { resource: (own) => ({ authorization_servers: own }) },
  'issuers with null': { resource: (own) => ({ authorization_servers: [own, null] }) },
  'a resource with a slash at its end': { resource: (own) => ({ resource: `${own}/mcp/` }) },
  'HTML in place of the RFC 8414 metadata': { answers: { [METADATA]: html } },
  'JSON of an error in place of the RFC 8414 metadata': { answers: { [METADATA]: { body: '{"error":"not found"}' } } },
  'HTML in place of the named metadata of the server': { answers: { [`${RESOURCE}/mcp`]: html } },
  'JSON of an error in place of the named metadata of the server': {
    answers: { [`${RESOURCE}/mcp`]: { body: '{"error":"not found"}' } },
  },
};

it.each(Object.keys(CASES))('a login works with %s', async (name) => {
  const options = CASES[name] ?? {};
  const issuer = await startOAuthIssuer(options);
  issuers.push(issuer);
  if (options.answers?.[METADATA] || options.answers?.[`${RESOURCE}/mcp`]) {
    const own = { ...(await metadataOf(issuer, options)) };
    issuer.options = { answers: { ...options.answers, ...own } };
  }
  await using web = connectorOf(issuer, memoryStore());
  const { url } = await web.logins.start('web', { redirectUrl: 'http://127.0.0.1:9/callback' });
  await web.logins.finish(new URL(await issuer.browse(url, 'ada')).searchParams);
  expect(await web.call('whoami', {})).toBe('ada');
});

it.each(['', '/', '/mcp', '/mcp/'])('a login names the resource "%s" as its server published it', async (path) => {
  const issuer = await startOAuthIssuer({ resource: (own) => ({ resource: `${own}${path}` }) });
  issuers.push(issuer);
  await using web = connectorOf(issuer, memoryStore());
  const { url } = await web.logins.start('web', { redirectUrl: 'http://127.0.0.1:9/callback' });
  expect(new URL(url).searchParams.get('resource')).toBe(`${issuer.origin}${path}`);
});

/** Returns answers at the addresses that are tried next. */
async function metadataOf(issuer: OAuthIssuer, options: IssuerOptions) {
  issuer.options = {};
  const read = async (path: string) => (await fetch(`${issuer.origin}${path}`)).text();
  const bodies = {
    '/.well-known/openid-configuration': { body: await read(METADATA) },
    [RESOURCE]: { body: await read(`${RESOURCE}/mcp`) },
  };
  issuer.options = options;
  return bodies;
}

it.each(['{"expires_in":"soon"}', '{"expires_in":"3600"}', '{"id_token":{},"refresh_token":5,"scope":["a"]}'])(
  'tokens are read with %s',
  async (members) => {
    const tokens = { access_token: 'a', ...JSON.parse(members) };
    const issuer = await startOAuthIssuer({ answers: { '/token': { body: JSON.stringify(tokens) } } });
    issuers.push(issuer);
    await using web = connectorOf(issuer, memoryStore());
    const { url } = await web.logins.start('web', { redirectUrl: 'http://127.0.0.1:9/callback' });
    await web.logins.finish(new URL(await issuer.browse(url, 'ada')).searchParams);
    expect(await web.logins.list()).toEqual([{ server: 'web', state: 'authorized' }]);
  },
);

it('names the registration when its answer is no JSON', async () => {
  const issuer = await startOAuthIssuer({ answers: { '/register': html } });
  issuers.push(issuer);
  await using web = connectorOf(issuer, memoryStore());
  const failure = await failureOf(web.logins.start('web', { redirectUrl: 'http://127.0.0.1:9/callback' }));
  expect(failure.message).toContain('/register registered a client without an id');
});
