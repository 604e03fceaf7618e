import { afterAll, describe, expect, it } from 'vitest';
import type { OAuthSettings } from '../../packages/connectors/src/servers/server-config.ts';
import { memoryStore } from '../../packages/storage/src/store.ts';
import { connectorOf } from '../fixtures/oauth-client.ts';
import { type IssuerOptions, type OAuthIssuer, startOAuthIssuer } from '../fixtures/oauth-issuer.ts';
import { failureOf } from '../fixtures/server.ts';

const SECRET = 's3cr3t-of-the-issuer';
const RESOURCE = '/.well-known/oauth-protected-resource/mcp';
const METADATA = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';
const html = { body: `<html><p>Sign in ${SECRET}</p></html>` };

interface Case {
  readonly fault: string;
  readonly options: IssuerOptions;
  readonly oauth?: OAuthSettings;
  /** The message after `Toolwright cannot log in to web: `, with `O` as the origin of the issuer. */
  readonly message: string;
}

const REPORT = 'Report it to the operator of the server.';

/** Faults that the start of a login finds. */
const AT_START: readonly Case[] = [
  {
    fault: 'server metadata with a server error',
    options: { answers: { [RESOURCE]: { status: 500, body: SECRET } } },
    message: `O${RESOURCE} answered HTTP 500 instead of its metadata. ${REPORT}`,
  },
  {
    fault: 'server metadata in HTML',
    options: { answers: { [RESOURCE]: html } },
    message: `O${RESOURCE} answered with HTML instead of its metadata. ${REPORT}`,
  },
  {
    fault: 'server metadata without issuers',
    options: { resource: { authorization_servers: [] } },
    message: `O${RESOURCE} has no valid "authorization_servers", which RFC 9728 requires. ${REPORT}`,
  },
  {
    fault: 'server metadata of another server',
    options: { resource: { resource: 'https://other.example/mcp?key=s3cr3t-of-the-issuer' } },
    message: `O${RESOURCE} names the resource https://other.example/mcp, not O/mcp. Configure that address in mcpServers.web.url, or report it.`,
  },
  {
    fault: 'server metadata at another origin',
    options: { answers: { [RESOURCE]: { status: 302, location: 'https://other.example/' } } },
    message: `O${RESOURCE} redirects to https://other.example, which is another origin. ${REPORT}`,
  },
  {
    fault: 'an issuer without TLS',
    options: { resource: { authorization_servers: ['http://issuer.example'] } },
    message: `O${RESOURCE} names the issuer http://issuer.example/, which is not an https:// address. ${REPORT}`,
  },
  {
    fault: 'an issuer that is not a URL',
    options: { resource: { authorization_servers: ['issuer'] } },
    message: `O${RESOURCE} names the issuer "issuer", which is not an https:// address. ${REPORT}`,
  },
  {
    fault: 'an issuer without metadata',
    options: { answers: { [METADATA]: { status: 404 } } },
    message: `O/ has no metadata: neither RFC 8414 nor OpenID Connect Discovery. ${REPORT}`,
  },
  {
    fault: 'issuer metadata with a server error',
    options: { answers: { [METADATA]: { status: 503, body: SECRET } } },
    message: `O${METADATA} answered HTTP 503 instead of its metadata. ${REPORT}`,
  },
  {
    fault: 'issuer metadata in HTML',
    options: { answers: { [METADATA]: { status: 404 }, [OPENID]: html } },
    message: `O${OPENID} answered with HTML instead of its metadata. ${REPORT}`,
  },
  {
    fault: 'issuer metadata that is no JSON',
    options: { answers: { [METADATA]: { body: `{"issuer": ${SECRET}` } } },
    message: `O${METADATA} answered with text that is not JSON instead of its metadata. ${REPORT}`,
  },
  {
    fault: 'issuer metadata at another origin',
    options: { answers: { [METADATA]: { status: 307, location: 'https://other.example/x' } } },
    message: `O${METADATA} redirects to https://other.example, which is another origin. ${REPORT}`,
  },
  {
    fault: 'issuer metadata that redirects in a circle',
    options: { answers: { [METADATA]: { status: 302, location: METADATA } } },
    message: `O${METADATA} redirects more than 5 times. ${REPORT}`,
  },
  {
    fault: 'issuer metadata of 5 MB',
    options: { answers: { [METADATA]: { body: JSON.stringify({ issuer: 'x'.repeat(5_000_000) }) } } },
    message: `O${METADATA} answered with more than 1048576 bytes. ${REPORT}`,
  },
  {
    fault: 'issuer metadata of another issuer',
    options: { metadata: (own) => ({ issuer: `${own}/` }) },
    message: `O${METADATA} names the issuer "O/", but the server names "O". ${REPORT} The two must be equal, character by character.`,
  },
  {
    fault: 'issuer metadata without a token endpoint',
    options: { metadata: { token_endpoint: undefined } },
    message: `O${METADATA} has no valid "token_endpoint", which RFC 8414 requires. ${REPORT}`,
  },
  {
    fault: 'a login page without TLS',
    options: { metadata: { authorization_endpoint: 'http://login.example/authorize' } },
    message: `O/ has the authorization_endpoint http://login.example/authorize, which is not an https:// address. ${REPORT}`,
  },
  {
    fault: 'a login page that is a script',
    options: { metadata: { authorization_endpoint: 'javascript:alert(1)' } },
    message: `O/ has the authorization_endpoint javascript:…, which is not an https:// address. ${REPORT}`,
  },
  {
    fault: 'a token endpoint without TLS',
    options: { metadata: { token_endpoint: 'http://login.example/token' } },
    message: `O/ has the token_endpoint http://login.example/token, which is not an https:// address. ${REPORT}`,
  },
  {
    fault: 'no announced PKCE',
    options: { metadata: { code_challenge_methods_supported: undefined } },
    message: `O/ does not announce PKCE: "code_challenge_methods_supported" is missing. ${REPORT}`,
  },
  {
    fault: 'plain PKCE',
    options: { metadata: { code_challenge_methods_supported: ['plain'] } },
    message: `O/ supports PKCE by plain, not by S256. ${REPORT}`,
  },
  {
    fault: 'no response type "code"',
    options: { metadata: { response_types_supported: ['token'] } },
    message:
      'O/ does not support the response type "code". Persons cannot log in there. Use "grant": "client_credentials" in mcpServers.web.oauth, or report it.',
  },
  {
    fault: 'no registration of clients',
    options: { metadata: { registration_endpoint: undefined } },
    message: 'O/ registers no clients. Register a client there by hand, and set mcpServers.web.oauth.clientId.',
  },
  {
    fault: 'a rejected registration',
    options: {
      answers: {
        '/register': { status: 400, body: `{"error":"invalid_redirect_uri","error_description":"${SECRET}"}` },
      },
    },
    message:
      'O/register rejected the registration of a client with HTTP 400, invalid_redirect_uri. Register a client there by hand, and set mcpServers.web.oauth.clientId.',
  },
  {
    fault: 'a registration without an id',
    options: { answers: { '/register': { status: 201, body: `{"client_name":"${SECRET}"}` } } },
    message: `O/register registered a client without an id. ${REPORT}`,
  },
];

/** Faults that the end of a login finds. */
const AT_END: readonly Case[] = [
  {
    fault: 'a callback of another issuer, with an error',
    options: {
      callback(params) {
        params.set('iss', 'https://attacker.example');
        params.delete('code');
        params.set('error', 'access_denied');
        params.set('error_description', SECRET);
      },
    },
    message:
      'O/ did not send the answer of the login: its issuer is missing or another one. Log in again. If it happens again, report it.',
  },
  {
    fault: 'a callback without the announced issuer',
    options: { callback: (params) => params.delete('iss') },
    message:
      'O/ did not send the answer of the login: its issuer is missing or another one. Log in again. If it happens again, report it.',
  },
  {
    fault: 'a refused login',
    options: {
      callback(params) {
        params.delete('code');
        params.set('error', 'access_denied');
        params.set('error_description', SECRET);
      },
    },
    message: 'O/ refused the login: access_denied. Log in again, and accept the access.',
  },
  {
    fault: 'a callback without a code',
    options: { callback: (params) => params.delete('code') },
    message: 'O/ sent neither a code nor an error. Log in again, and accept the access.',
  },
  {
    fault: 'a token endpoint in HTML',
    options: { answers: { '/token': html } },
    message: `O/token answered without a valid token. ${REPORT}`,
  },
  {
    fault: 'a token endpoint with an error of a gateway',
    options: { answers: { '/token': { status: 502, body: `<h1>${SECRET}</h1>` } } },
    message: 'O/token answered HTTP 502 without a reason of OAuth. Log in again. If it happens again, report it.',
  },
  {
    fault: 'a token answer without a token',
    options: { answers: { '/token': { body: `{"refresh_token":"${SECRET}"}` } } },
    message: `O/token answered without a valid token. ${REPORT}`,
  },
  {
    fault: 'a token endpoint that redirects',
    options: { answers: { '/token': { status: 307, location: 'https://attacker.example/' } } },
    message: `O/token redirects to https://attacker.example, which is another origin. ${REPORT}`,
  },
  {
    fault: 'an issuer that knows no resources',
    options: {
      answers: { '/token': { status: 400, body: `{"error":"invalid_target","error_description":"${SECRET}"}` } },
    },
    message:
      'O/token answered with the error invalid_target. Set mcpServers.web.oauth.resource to false if the issuer knows no resources.',
  },
];

const issuers: OAuthIssuer[] = [];
afterAll(() => Promise.all(issuers.map((issuer) => issuer.stop())));

async function expectFailure({ options, message }: Case, isAtEnd: boolean): Promise<void> {
  const issuer = await startOAuthIssuer(options);
  issuers.push(issuer);
  await using web = connectorOf(issuer, memoryStore());
  const start = web.logins.start('web', { redirectUrl: 'http://127.0.0.1:9/callback' });
  const failure = await failureOf(
    isAtEnd
      ? start.then(async ({ url }) => web.logins.finish(new URL(await issuer.browse(url, 'ada')).searchParams))
      : start,
  );
  expect(failure.message.replaceAll(issuer.origin, 'O')).toBe(`Toolwright cannot log in to web: ${message}`);
  expect(failure.code).toBe('UPSTREAM_PROTOCOL');
  for (const secret of [SECRET, ...issuer.secrets]) expect(failure.message).not.toContain(secret);
  expect(failure.cause).toBeUndefined();
}

describe('a login to an issuer that is wrong', () => {
  it.each(AT_START)('names $fault', (each) => expectFailure(each, false));
  it.each(AT_END)('names $fault', (each) => expectFailure(each, true));

  it('names an issuer that answers too slowly', async () => {
    const { issuerFetch } = await import('../../packages/connectors/src/mcp/oauth/issuer-fetch.ts');
    const issuer = await startOAuthIssuer({ answers: { '/slow': { delayMs: 60_000 } } });
    issuers.push(issuer);
    const fetch = issuerFetch({ server: 'web', serverUrl: issuer.url, timeoutMs: 50 });
    const failure = await failureOf(fetch(`${issuer.origin}/slow`));
    expect(failure.message).toBe(
      `Toolwright cannot log in to web: ${issuer.origin}/slow did not answer within 50 ms. Try again later.`,
    );
  });

  it('refuses private addresses for a public server', async () => {
    const { issuerFetch } = await import('../../packages/connectors/src/mcp/oauth/issuer-fetch.ts');
    const fetch = issuerFetch({ server: 'web', serverUrl: 'https://93.184.215.14/mcp' });
    for (const address of ['127.0.0.1', '10.1.2.3', '169.254.169.254', '[::1]', '[fd00::1]', '[::ffff:10.0.0.1]']) {
      const failure = await failureOf(fetch(`https://${address}/token`));
      expect(failure.message).toContain('has an address of a private network, but the server has a public one');
    }
  });
});
