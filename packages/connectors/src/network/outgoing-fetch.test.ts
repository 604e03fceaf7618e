import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createSilentServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ApiServer, sendJson, startApi } from '../../../../test/fixtures/api-server.ts';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { makeCertificate } from '../../../../test/fixtures/kubernetes/certificate.ts';
import { startProxy } from '../../../../test/fixtures/proxy.ts';
import { failureOf, listen, toolNames } from '../../../../test/fixtures/server.ts';
import { issuerFetch } from '../mcp/oauth/issuer-fetch.ts';
import { openServer } from '../open-server.ts';
import { networkReason } from './network-reason.ts';
import { outgoingFetch } from './outgoing-fetch.ts';

const VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
/** Nothing listens there. */
const ABSENT = 'http://ada:s3cret@127.0.0.1:1';

let api: ApiServer;
beforeEach(async () => {
  for (const name of VARIABLES) vi.stubEnv(name, undefined);
  api = await startApi(({ body, headers }, response) =>
    sendJson(response, {
      body: body.toString(),
      length: headers['content-length'],
      secret: headers['proxy-authorization'],
    }),
  );
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await api[Symbol.asyncDispose]();
});

const portOf = (origin: string) => Number(new URL(origin).port);
const reasonOf = (url: string) => outgoingFetch(url).then(String, networkReason);

describe('requests through a proxy', () => {
  it('go there with the credentials of the variable, and with a body of known length', async () => {
    await using proxy = await startProxy({ hosts: { 'api.invalid': portOf(api.origin) } });
    vi.stubEnv('HTTP_PROXY', proxy.url.replace('//', '//ada:p%40ss@'));
    const answer = await outgoingFetch('http://api.invalid/a?b', { method: 'POST', body: 'text', redirect: 'manual' });
    expect(await answer.json()).toEqual({ body: 'text', length: '4' });
    expect(proxy.seen).toEqual(['POST http://api.invalid/a?b']);
    expect(proxy.credentials).toEqual([`Basic ${Buffer.from('ada:p@ss').toString('base64')}`]);
  });

  it('never do for this machine and the hosts of NO_PROXY', async () => {
    vi.stubEnv('ALL_PROXY', ABSENT);
    expect((await outgoingFetch(api.origin)).status).toBe(200);
    vi.stubEnv('NO_PROXY', '.invalid');
    expect(await reasonOf('http://api.invalid/')).toMatch(/ENOTFOUND|EAI_AGAIN/);
  });

  it('reach an MCP server and an API', async () => {
    const server = await listen('http');
    await using proxy = await startProxy({
      hosts: { 'mcp.invalid': portOf(server.origin), 'api.invalid': portOf(api.origin) },
    });
    vi.stubEnv('http_proxy', proxy.url);
    await using connector = openServer('m', { url: 'http://mcp.invalid/mcp' });
    expect(await toolNames(connector)).not.toEqual([]);
    expect(proxy.seen).toContain('POST http://mcp.invalid/mcp');
    await using graph = openServer('g', { graphql: 'http://api.invalid/graphql' });
    await failureOf(graph.tools());
    expect(proxy.seen).toContain('POST http://api.invalid/graphql');
    await server.close();
  });

  it.each([
    [407, /answered 407 .*wants a user and a password. Set HTTPS?_PROXY to http:\/\/USER:PASSWORD@HOST:PORT/],
    [403, /answered 403 .*does not allow this host. Ask its operator, or add api\.invalid to NO_PROXY/],
    [502, /answered 502 .*cannot reach this host/],
  ])('name a proxy that answers %i, without its password', async (refuses, reason) => {
    await using proxy = await startProxy({ refuses });
    vi.stubEnv('HTTP_PROXY', proxy.url.replace('//', '//ada:s3cret@'));
    vi.stubEnv('HTTPS_PROXY', proxy.url.replace('//', '//ada:s3cret@'));
    for (const url of ['http://api.invalid/', 'https://api.invalid/']) {
      const problem = await reasonOf(url);
      expect(problem).toMatch(reason);
      expect(problem).toContain(`the proxy ${proxy.url} `);
      expect(problem).not.toContain('s3cret');
    }
    const failure = await failureOf(openServer('m', { url: 'http://mcp.invalid/mcp' }).tools());
    expect(failure.message).toMatch(new RegExp(`the proxy ${proxy.url} answered ${refuses} for mcp.invalid`));
  });

  it('name a proxy that nobody reaches or that cannot be used', async () => {
    vi.stubEnv('HTTPS_PROXY', ABSENT);
    expect(await reasonOf('https://api.invalid/')).toBe(
      'the proxy http://127.0.0.1:1 cannot be reached (ECONNREFUSED). Correct HTTPS_PROXY, or add api.invalid to NO_PROXY',
    );
    vi.stubEnv('HTTPS_PROXY', 'socks5://ada:s3cret@127.0.0.1:1');
    expect(await reasonOf('https://api.invalid/')).toBe(
      'the proxy in HTTPS_PROXY cannot be used: socks5:// is not supported. Write an http:// or https:// proxy',
    );
  });

  it('name a proxy that closes the connection', async () => {
    const closing = createSilentServer((socket) => socket.destroy());
    closing.listen(0, '127.0.0.1');
    await once(closing, 'listening');
    const { port } = closing.address() as AddressInfo;
    vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${port}`);
    expect(await reasonOf('http://api.invalid/')).toMatch(
      new RegExp(`^the connection through the proxy http://127.0.0.1:${port} was closed without an answer`),
    );
    closing.close();
  });

  it.each(['direct', 'proxied'])('end after a silence where they have a limit (%s)', async (way) => {
    const silent = createSilentServer(() => undefined);
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    await using proxy = await startProxy({ hosts: { 'api.invalid': port } });
    if (way === 'proxied') vi.stubEnv('HTTP_PROXY', proxy.url);
    const url = way === 'proxied' ? 'http://api.invalid/' : `http://127.0.0.1:${port}/`;
    expect(await outgoingFetch(url, { silenceMs: 20 }).then(String, ({ cause }) => cause.code)).toBe(
      'UND_ERR_HEADERS_TIMEOUT',
    );
    silent.closeAllConnections();
    silent.close();
  });

  it('end when they are aborted', async () => {
    await using proxy = await startProxy({ hosts: { 'api.invalid': portOf(api.origin) } });
    vi.stubEnv('HTTP_PROXY', proxy.url);
    const reason = new Error('enough');
    await expect(outgoingFetch('http://api.invalid/', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('requests to an issuer through a proxy', () => {
  it('go to names that only the proxy knows, and never to addresses of a private network', async () => {
    await using proxy = await startProxy({ refuses: 403 });
    vi.stubEnv('HTTPS_PROXY', proxy.url);
    const send = issuerFetch({ server: 's', serverUrl: 'https://mcp.invalid/' });
    expect((await failureOf(send('https://issuer.invalid/token'))).message).toContain(
      `the proxy ${proxy.url} answered 403 for issuer.invalid`,
    );
    expect((await failureOf(send('https://169.254.169.254/'))).message).toContain('an address of a private network');
    expect((await failureOf(send('http://issuer.invalid/'))).message).toContain('is not an https:// address');
    expect(proxy.seen).toEqual(['CONNECT issuer.invalid:443']);
  });
});

describe.skipIf(!hasOpenssl)('a proxy that reads HTTPS', () => {
  it('is trusted by NODE_EXTRA_CA_CERTS, which the error names', async () => {
    const folder = temporaryFolder();
    const { cert, key } = makeCertificate(folder, 'localhost');
    const server = createServer({ cert, key }, (_request, response) => response.end('reached'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    await using proxy = await startProxy({ hosts: { 'api.invalid': (server.address() as AddressInfo).port } });
    vi.stubEnv('HTTPS_PROXY', proxy.url);
    expect(await reasonOf('https://api.invalid/')).toMatch(
      /does not trust the certificate of api\.invalid behind the proxy http:.*DEPTH_ZERO_SELF_SIGNED_CERT.*set NODE_EXTRA_CA_CERTS/,
    );
    server.close();
  });
});
