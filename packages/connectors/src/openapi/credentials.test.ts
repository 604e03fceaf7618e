import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { descriptionFile, oneOperation, parameter } from '../../../../test/fixtures/api-descriptions.ts';
import { type ApiServer, sendJson, startApi } from '../../../../test/fixtures/api-server.ts';
import { failureOf, toolNames } from '../../../../test/fixtures/server.ts';
import type { OpenApiServerConfig } from '../servers/server-config.ts';
import { openApiConnector } from './openapi.ts';

let server: ApiServer;
let tokens: ApiServer;
/** The description that the server has at `/api.json`. */
let served: object;
let tokenAnswer: { readonly value: object; readonly status?: number };
/** Access tokens that the API rejects. */
const rejected = new Set<string>();

beforeAll(async () => {
  server = await startApi(({ path, headers }, response) => {
    if (path === '/api.json') return sendJson(response, served);
    if (path === '/away') return response.writeHead(302, { location: `${tokens.origin}/stolen` }).end();
    sendJson(response, { path }, rejected.has(headers.authorization ?? '') ? 401 : 200);
  });
  tokens = await startApi((_request, response) => sendJson(response, tokenAnswer.value, tokenAnswer.status));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await tokens[Symbol.asyncDispose]();
});
beforeEach(() => {
  server.seen.length = 0;
  tokens.seen.length = 0;
  rejected.clear();
  tokenAnswer = { value: { access_token: 'token-1', token_type: 'Bearer', expires_in: 3600 } };
});

const SCHEMES = {
  components: {
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      client: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://login.test/token', scopes: {} } } },
    },
  },
};

function open(config: Partial<OpenApiServerConfig>, description: object = oneOperation({}, SCHEMES)) {
  return openApiConnector('api', { openapi: descriptionFile(description), baseUrl: server.origin, ...config });
}

it.each([
  [{ type: 'bearer', token: 'tt' }, { authorization: 'Bearer tt' }, '/run'],
  [{ type: 'basic', username: 'u', password: 'p:q' }, { authorization: 'Basic dTpwOnE=' }, '/run'],
  [{ type: 'apiKey', value: 'kk' }, { 'x-key': 'kk' }, '/run'],
  [{ type: 'apiKey', value: 'k&', in: 'query', name: 'api key' }, {}, '/run?api+key=k%26'],
  [{ type: 'apiKey', value: 'k;k', in: 'cookie', name: 'sid' }, { cookie: 'sid=k%3Bk' }, '/run'],
] as const)('%j', async (auth, headers, path) => {
  await using connector = open({ auth });
  await connector.call('run', {});
  expect(server.seen[0]).toMatchObject({ path, headers });
});

it('a configured header or key is no argument, and no argument replaces it', async () => {
  const parameters = [parameter('header', 'X-KEY'), parameter('header', 'X-Version'), parameter('query', 'q')];
  await using connector = open(
    { auth: { type: 'apiKey', value: 'kk' }, headers: { 'x-version': '2' } },
    oneOperation({ parameters }, SCHEMES),
  );
  const [tool] = await connector.tools();
  expect(tool?.inputSchema).toMatchObject({ properties: { q: {} } });
  expect(Object.keys(Object(tool?.inputSchema).properties)).toEqual(['q']);
  await connector.call('run', { 'X-KEY': 'mine', 'X-Version': '9' });
  expect(server.seen[0]?.headers).toMatchObject({ 'x-key': 'kk', 'x-version': '2' });
});

const CLIENT = { type: 'oauth2', clientId: 'id', clientSecret: 'client-secret' } as const;

it('requests one access token for many calls, and a new one after 401', async () => {
  const auth = { ...CLIENT, tokenUrl: `${tokens.origin}/token`, scopes: ['a', 'b'], parameters: { audience: 'x' } };
  await using connector = open({ auth });
  await Promise.all(Array.from({ length: 5 }, () => connector.call('run', {})));
  await connector.call('run', {});
  expect(tokens.seen).toHaveLength(1);
  expect(tokens.seen[0]?.body.toString()).toBe('grant_type=client_credentials&scope=a+b&audience=x');
  expect(tokens.seen[0]?.headers.authorization).toBe(`Basic ${Buffer.from('id:client-secret').toString('base64')}`);
  expect(server.seen.every(({ headers }) => headers.authorization === 'Bearer token-1')).toBe(true);
  rejected.add('Bearer token-1');
  tokenAnswer = { value: { access_token: 'token-2', expires_in: 3600 } };
  await connector.call('run', {});
  expect(server.seen.at(-1)?.headers.authorization).toBe('Bearer token-2');
  rejected.add('Bearer token-2');
  const error = await failureOf(connector.call('run', {}));
  expect(error.message).toMatch(/HTTP 401.*\nCheck the credentials in mcpServers\.api\.auth\./);
  expect(tokens.seen).toHaveLength(3);
});

it.each([
  [
    { value: { error: 'invalid_client', error_description: 'client-secret is wrong' }, status: 401 },
    'HTTP 401, invalid_client',
  ],
  [{ value: { token: 'x' } }, 'its answer has no bearer token'],
  [{ value: { access_token: 'x', token_type: 'mac' } }, 'its answer has no bearer token'],
])('no token: %j', async (answer, reason) => {
  tokenAnswer = answer;
  await using connector = open({ auth: { ...CLIENT, tokenUrl: `${tokens.origin}/token` } });
  const error = await failureOf(connector.call('run', {}));
  expect(error).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', message: expect.stringContaining(reason) });
  expect(error.message).not.toContain('client-secret');
  expect(server.seen).toEqual([]);
});

it('sends no credentials to a server that only a description from the network names', async () => {
  served = oneOperation({}, { servers: [{ url: tokens.origin }], ...SCHEMES });
  const openapi = `${server.origin}/api.json`;
  const auth = { type: 'bearer', token: 'tt' } as const;
  const own = openApiConnector('api', { openapi, auth });
  expect((await failureOf(own.tools())).message).toContain('Set mcpServers.api.baseUrl');
  const client = openApiConnector('api', { openapi, baseUrl: server.origin, auth: CLIENT });
  expect((await failureOf(client.tools())).message).toContain('names https://login.test for tokens');
  const free = openApiConnector('api', { openapi });
  expect(await toolNames(free)).toEqual(['run']);
  expect(server.seen.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  expect(tokens.seen).toEqual([]);
});

it('an operation with its own server sends no credentials to it', async () => {
  served = oneOperation({ servers: [{ url: tokens.origin }] }, { servers: [{ url: '/' }] });
  const connector = openApiConnector('api', { openapi: `${server.origin}/api.json`, headers: { 'X-Key': 'kk' } });
  expect((await failureOf(connector.call('run', {}))).code).toBe('CONFIG_INVALID');
  expect(tokens.seen).toEqual([]);
});

it('does not follow a redirect into a private network', async () => {
  await using connector = open({ auth: { type: 'bearer', token: 'tt' } }, oneOperation({}, {}, ['get', '/away']));
  expect((await failureOf(connector.call('run', {}))).code).toBe('UPSTREAM_PROTOCOL');
  expect(tokens.seen).toEqual([]);
});

it.each([
  [{ type: 'apiKey', value: 'x', name: 'Other' }, 'has no such key'],
  [{ type: 'apiKey', value: 'x', in: 'query' }, 'has no such key'],
] as const)('an incomplete key %j is an error', async (auth, reason) => {
  expect((await failureOf(open({ auth }).tools())).message).toContain(`${reason}. Set "in" and "name".`);
});
