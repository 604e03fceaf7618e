import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { descriptionFile, oneOperation, parameter } from '../../../../test/fixtures/api-descriptions.ts';
import { type ApiServer, sendJson, startApi } from '../../../../test/fixtures/api-server.ts';
import { makeCertificate } from '../../../../test/fixtures/kubernetes/certificate.ts';
import { publicHost } from '../../../../test/fixtures/public-host.ts';
import { createCredentials } from '../api/credentials.ts';
import type { Connector } from '../connector.ts';
import type { ApiAuth } from '../servers/server-config.ts';
import { openApiConnector } from './openapi.ts';

/** An answer of the API or of a stranger, which the requested path has in base64. */
interface Step {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

let api: ApiServer;
let neighbour: ApiServer;
let stranger: ApiServer;
/** The address of the stranger, which looks public. */
let cdn: string;
let host: Disposable;
let first: Step;
/** The answer of every other origin. */
let strange: Step;
/** The description for those who read it by its URL. */
let served: object;

/** Other characters than ASCII are sent as the bytes of UTF-8. */
const answerWith = ({ status = 200, headers: sent = {}, body = [] }: Step) => {
  const encoded = Object.entries(sent).map(([name, value]) => [name, Buffer.from(value).toString('latin1')]);
  return [body, status, Object.fromEntries(encoded)] as const;
};

beforeAll(async () => {
  host = publicHost('attacker.test');
  api = await startApi(({ path }, response) => {
    if (path === '/api.json') return sendJson(response, served);
    if (path === '/token') return sendJson(response, { access_token: TOKEN, expires_in: 3600 });
    sendJson(response, ...answerWith(path.startsWith('/run') ? first : { body: [{ page: path }] }));
  });
  neighbour = await startApi((_request, response) => sendJson(response, ...answerWith(strange)));
  const tls = makeCertificate(mkdtempSync(join(tmpdir(), 'toolwright-origins-')));
  stranger = await startApi((_request, response) => sendJson(response, ...answerWith(strange)), tls);
  cdn = `https://cdn.attacker.test:${new URL(stranger.origin).port}`;
});
afterAll(async () => {
  host[Symbol.dispose]();
  await Promise.all([api, neighbour, stranger].map((server) => server[Symbol.asyncDispose]()));
});
beforeEach(() => {
  for (const { seen } of [api, neighbour, stranger]) seen.length = 0;
});

const SECRETS = [
  ...['h-secret-1', 'b-secret-2', 'p-secret+3/ä', 'k-secret-4'],
  ...['q-secret 5&', 'c-secret;6', 'o-secret-7', 't-secret-8'],
] as const;
const [HEADER, BEARER, PASSWORD, KEY, QUERY, COOKIE, CLIENT, TOKEN] = SECRETS;
const headers = { 'X-Conf': HEADER };
/** Credentials of every kind, with their secret. */
const AUTHS: readonly (readonly [string, () => ApiAuth])[] = [
  [BEARER, () => ({ type: 'bearer', token: BEARER })],
  [PASSWORD, () => ({ type: 'basic', username: 'user', password: PASSWORD })],
  [KEY, () => ({ type: 'apiKey', in: 'header', name: 'x-key', value: KEY })],
  [QUERY, () => ({ type: 'apiKey', in: 'query', name: 'key', value: QUERY })],
  [COOKIE, () => ({ type: 'apiKey', in: 'cookie', name: 'sid', value: COOKIE })],
  [CLIENT, () => ({ type: 'oauth2', clientId: 'id', clientSecret: CLIENT, tokenUrl: `${api.origin}/token` })],
];

/** The headers that carry credentials and arguments. */
const CARRIERS = ['authorization', 'x-conf', 'x-key', 'cookie', 'x-own'];

/** Every form of every secret that a request could have. */
const FORMS = SECRETS.flatMap((secret) => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams({ x: secret }).toString().slice(2),
  Buffer.from(`user:${secret}`).toString('base64'),
]);

/** Forms in which an answer can name another origin, also with a secret that the server has received. */
function otherAddresses(secret: string): string[] {
  const { port, host: strangeHost } = new URL(cdn);
  const { host: other, port: otherPort } = new URL(neighbour.origin);
  const own = new URL(api.origin);
  return [
    cdn,
    cdn.toUpperCase(),
    `//${strangeHost}`,
    `https://user:pass@cdn.attacker.test:${port}`,
    `https://cdn.attacker.test.:${port}`,
    `https://CDN。attacker.test:${port}`,
    `https://xn--bcher-kva.attacker.test:${port}`,
    `https://bücher.attacker.test:${port}`,
    `https:\\\\cdn.attacker.test:${port}\\`,
    `${own.host.replace(/:.*/, '')}@cdn.attacker.test`,
    `http://${own.host}@cdn.attacker.test:${port}`,
    neighbour.origin,
    `HTTP://${other}`,
    `//${other}`,
    `http://localhost:${otherPort}`,
    `http://[::ffff:127.0.0.1]:${otherPort}`,
    `http://2130706433:${otherPort}`,
    `https://${own.host}`,
    `${cdn}/?copied=${encodeURIComponent(secret)}`,
    `${cdn}/?${new URLSearchParams({ copied: secret })}`,
    `${cdn}/${encodeURIComponent(secret)}`,
    `${cdn}/?copied=${HEADER}`,
  ];
}

/** Ways in which an answer continues at an address. */
const WAYS: readonly ((address: string) => Step)[] = [
  (address) => ({ headers: { link: `<${address}/p2>; rel="next"` } }),
  (address) => ({ body: { items: [], next: `${address}/p2` } }),
  (address) => ({ body: { items: [], _links: { next: { href: `${address}/p2` } } } }),
  ...[301, 302, 303, 307, 308].map((status) => (address: string) => ({
    status,
    headers: { location: `${address}/p2` },
  })),
];

/** Answers of a stranger that try to continue at the API. */
const STRANGE: readonly (() => Step)[] = [
  () => ({ headers: { link: '</p2>; rel="next"' } }),
  () => ({ body: { items: [], next: '/p2' } }),
  () => ({ body: { items: [], next_cursor: 'x' } }),
  () => ({ status: 302, headers: { location: `${api.origin}/p2` } }),
  () => ({ status: 401 }),
];

const operation = {
  parameters: [parameter('query', 'cursor'), parameter('header', 'X-Own')],
  responses: { 200: { description: '', content: { 'application/json': { schema: { type: 'object' } } } } },
};

/** The ways to describe the API. */
const DESCRIPTIONS: readonly (() => { openapi: string; baseUrl?: string })[] = [
  () => ({ openapi: descriptionFile(oneOperation(operation)), baseUrl: api.origin }),
  () => ({
    openapi: descriptionFile(
      oneOperation(operation, { servers: [{ url: '{at}', variables: { at: { default: api.origin } } }] }),
    ),
  }),
  () => {
    served = oneOperation({ ...operation, servers: [{ url: api.origin }] }, { servers: [{ url: '/' }] });
    return { openapi: `${api.origin}/api.json` };
  },
];

/** Calls the operation with one way to leave the API, and checks the requests of all servers. Returns the strangers' requests. */
async function leave(connector: Connector, step: Step, next: Step): Promise<number> {
  [first, strange] = [step, next];
  for (const { seen } of [api, neighbour, stranger]) seen.length = 0;
  await connector.call('run', { maxPages: 3, 'X-Own': 'mine' }).catch(() => undefined);
  expect(api.seen.length).toBeGreaterThan(0);
  const others = [...neighbour.seen, ...stranger.seen];
  for (const { path, headers: sent, body } of others) {
    const text = JSON.stringify([path, sent, body.toString()]);
    expect(
      FORMS.filter((form) => text.includes(form)),
      `${JSON.stringify(step)} ${text}`,
    ).toEqual([]);
    expect(CARRIERS.map((name) => sent[name])).toEqual(CARRIERS.map(() => undefined));
  }
  if (others.length > 0) {
    // A stranger chose these addresses.
    for (const { path, headers: sent } of api.seen.filter((request) => /^\/p2|cursor=/.test(request.path))) {
      expect(CARRIERS.map((name) => sent[name])).toEqual(CARRIERS.map(() => undefined));
      expect(path).not.toContain('key=');
    }
  }
  return others.length;
}

describe.each(AUTHS.map(([secret, auth], index) => ({ secret, auth, index })))(
  'credentials $index',
  ({ secret, auth }) => {
    it.each(DESCRIPTIONS.map((description, index) => ({ description, index })))(
      'of description $index reach no other origin',
      async ({ description }) => {
        await using connector = openApiConnector('api', { ...description(), headers, auth: auth() });
        await connector.tools();
        let reached = 0;
        for (const [index, address] of otherAddresses(secret).entries()) {
          for (const [at, way] of WAYS.entries()) {
            const next = STRANGE[(index + at) % STRANGE.length];
            reached += await leave(connector, way(address), next?.() ?? {});
          }
        }
        // The strangers were there.
        expect(reached).toBeGreaterThan(20);
      },
    );
  },
);

it('pages of the own origin have the credentials, in every form of its address', async () => {
  await using connector = openApiConnector('api', { ...(DESCRIPTIONS[0]?.() ?? { openapi: '' }), headers });
  for (const address of [api.origin, api.origin.toUpperCase(), `//${new URL(api.origin).host}`, '']) {
    first = { body: { items: [1], next: `${address}/p2` } };
    api.seen.length = 0;
    await connector.call('run', { maxPages: 2 });
    expect(api.seen.map((request) => request.headers['x-conf'])).toEqual([HEADER, HEADER]);
  }
});

const SCOPE = { signal: new AbortController().signal, remainingMs: () => 1_000 };
const added = (url: string, trusted: string) =>
  createCredentials('api', headers, undefined, [trusted]).addTo(
    { method: 'GET', url: new URL(url), headers: new Headers() },
    SCOPE,
  );

it.each([
  ['https://api.test/v1', 'https://API.test:443/x'],
  ['https://bücher.test', 'https://xn--bcher-kva.test/x'],
  ['http://[::1]:80', 'http://[0:0:0:0:0:0:0:1]/x'],
  ['http://127.0.0.1', 'http://2130706433/x'],
])('credentials for %s are added for %s', async (trusted, url) => {
  expect((await added(url, trusted)).headers.get('x-conf')).toBe(HEADER);
});

it.each([
  ['https://api.test', 'http://api.test/'],
  ['https://api.test', 'https://api.test:8443/'],
  ['https://api.test', 'https://api.test./'],
  ['https://api.test', 'https://api.test.attacker.test/'],
  ['https://api.test', 'https://api.test@attacker.test/'],
  ['https://api.test', 'https://sub.api.test/'],
  ['https://bücher.test', 'https://bucher.test/'],
  ['http://[::1]', 'http://127.0.0.1/'],
  ['https://api.test', 'data:text/plain,x'],
  ['https://api.test', 'file:///api.test'],
])('credentials for %s are refused for %s', async (trusted, url) => {
  await expect(added(url, trusted)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('baseUrl'),
  });
});
