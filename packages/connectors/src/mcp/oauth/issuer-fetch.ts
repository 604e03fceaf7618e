import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import type { FetchLike } from '@modelcontextprotocol/client';
import { parseJson } from '../../content/json-values.ts';
import { readBytes } from '../../content/read-bytes.ts';
import { ToolwrightError } from '../../errors.ts';
import { addressesOf, isLoopbackHost, isPrivateAddress } from '../../network/addresses.ts';
import { networkReason } from '../../network/network-reason.ts';
import { knownAddresses, outgoingFetch } from '../../network/outgoing-fetch.ts';
import { proxyFor } from '../../network/proxies.ts';
import { MAX_REDIRECTS, REDIRECTS } from '../../network/redirects.ts';
import { shownAddress } from '../../network/shown-address.ts';
import { loginFailure } from './failure.ts';

/** Milliseconds for one request to an issuer, its redirects included. */
const TIMEOUT_MS = 30_000;
/** Maximum bytes of one answer of an issuer. */
const MAX_BYTES = 1024 * 1024;
const REPORT = 'Report it to the operator of the server.';

/** The options of {@link issuerFetch}. */
export interface IssuerFetchOptions {
  readonly server: string;
  readonly serverUrl: string;
  readonly timeoutMs?: number | undefined;
}

/** The types of the members that an issuer adds to the metadata of a client. Others are those that the client has sent. */
const ISSUED: Readonly<Record<string, string>> = {
  client_secret: 'string',
  client_id_issued_at: 'number',
  client_secret_expires_at: 'number',
  token_endpoint_auth_method: 'string',
};

/**
 * Returns a `fetch` for the issuer of a server's tokens. It sends nothing but the given headers, over HTTPS or to this machine.
 * It follows redirects within the origin only, and refuses private addresses unless the server itself has one. An answer
 * has 30 s and 1 MiB. All its errors are `UPSTREAM_PROTOCOL` or `UPSTREAM_UNAVAILABLE`, and name the address.
 */
export function issuerFetch({ server, serverUrl, timeoutMs = TIMEOUT_MS }: IssuerFetchOptions): FetchLike {
  let isOwnNetwork: Promise<boolean> | undefined;
  const inOwnNetwork = () => {
    isOwnNetwork ??= addressesOf(new URL(serverUrl).hostname).then((all) => all.some(isPrivateAddress));
    return isOwnNetwork;
  };
  return async (input, init = {}) => {
    const signal = AbortSignal.timeout(timeoutMs);
    let url: URL = new URL(String(input));
    for (let redirects = 0; ; redirects++) {
      const fail = (problem: string, fix = REPORT) => loginFailure(server, { url, problem, fix });
      const lookup = await checkedLookup(url, inOwnNetwork, fail);
      let answer: Answer;
      try {
        answer = proxyFor(url) ? await sendByProxy(url, init, signal) : await send(url, init, { lookup, signal });
      } catch (error) {
        if (error instanceof ToolwrightError) throw error;
        if (error === TOO_LARGE) throw fail(`answered with more than ${MAX_BYTES} bytes`);
        if (signal.aborted) throw fail(`did not answer within ${timeoutMs} ms`, 'Try again later.');
        throw new ToolwrightError(
          'UPSTREAM_UNAVAILABLE',
          `Toolwright cannot log in to ${server}: ${shownAddress(url)} could not be reached: ${networkReason(error)}.`,
          { details: { server }, cause: undefined },
        );
      }
      const { status, headers, body } = answer;
      const location = headers.get('location');
      if (!REDIRECTS.has(status) || location === null)
        return new Response(issuerDocument(body, init), { status, headers: withoutLength(headers) });
      const target: URL | undefined = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
      if (target === undefined || target.origin !== url.origin)
        throw fail(`redirects to ${target?.origin ?? 'an invalid address'}, which is another origin`);
      if (redirects === MAX_REDIRECTS) throw fail(`redirects more than ${MAX_REDIRECTS} times`);
      if ((init.method ?? 'GET') !== 'GET' && status < 307) throw fail('redirects a request with credentials');
      url = target;
    }
  };
}

/** The length of the body may have changed. */
function withoutLength(headers: Headers): Headers {
  headers.delete('content-length');
  return headers;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | null;
}

/** Returns the lookup for a request to a URL. Raises the failure of an address that is not allowed. */
async function checkedLookup(
  url: URL,
  inOwnNetwork: () => Promise<boolean>,
  fail: (problem: string, fix?: string) => ToolwrightError,
): Promise<LookupFunction> {
  const { protocol, hostname } = url;
  const isLocal = isLoopbackHost(hostname);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLocal)) throw fail('is not an https:// address');
  let addresses: readonly string[];
  try {
    addresses = await knownAddresses(url);
  } catch (error) {
    throw fail(`has an unknown host (${networkReason(error)})`);
  }
  if (addresses.some(isPrivateAddress) && !(await inOwnNetwork().catch(() => false)))
    throw fail('has an address of a private network, but the server has a public one');
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  // The checked addresses are the ones that the request uses: another lookup could return others.
  return (_host, options, callback) => {
    if (options.all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family ?? 4);
  };
}

/** Sends a request through the proxy of the environment, which looks the host up by itself. */
async function sendByProxy(url: URL, init: RequestInit, signal: AbortSignal): Promise<Answer> {
  const headers = { accept: 'application/json', ...Object.fromEntries(new Headers(init.headers)) };
  const response = await outgoingFetch(url, { ...init, headers, redirect: 'manual', signal });
  const bytes = await readBytes(response, MAX_BYTES).catch((error) => {
    throw error instanceof ToolwrightError ? TOO_LARGE : error;
  });
  const found = new Headers([...response.headers]);
  found.delete('content-encoding');
  return { status: response.status, headers: found, body: response.status === 204 ? null : bytes.toString() };
}

const TOO_LARGE = new Error('too large');

function send(
  url: URL,
  init: RequestInit,
  { lookup, signal }: { readonly lookup: LookupFunction; readonly signal: AbortSignal },
): Promise<Answer> {
  const body = init.body === undefined || init.body === null ? undefined : String(init.body);
  const headers = Object.fromEntries(new Headers(init.headers));
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    method: init.method ?? 'GET',
    headers: { accept: 'application/json', ...headers, ...(body && { 'content-length': Buffer.byteLength(body) }) },
    lookup,
    signal,
  });
  return new Promise<Answer>((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_BYTES) response.destroy(TOO_LARGE);
      });
      const status = response.statusCode ?? 0;
      const found = new Headers();
      for (const [name, value] of Object.entries(response.headers)) {
        if (name !== 'content-encoding' && value !== undefined) found.set(name, String(value));
      }
      textOf(response).then((text) => resolve({ status, headers: found, body: status === 204 ? null : text }), reject);
    });
    request.end(body);
  });
}

/**
 * Returns the body of an issuer's answer without deviations whose meaning is certain. Members that are null are absent, and lists of
 * scopes are one text. A client has the metadata that it registered with. Any other body is unchanged.
 */
function issuerDocument(body: string | null, request: RequestInit): string | null {
  const document = parsed(body);
  if (document === undefined) return body;
  const members = Object.fromEntries(Object.entries(document).filter(([, member]) => member !== null));
  if (Array.isArray(members.scope)) members.scope = members.scope.join(' ');
  if (typeof members.access_token === 'string') return JSON.stringify(tokensOf(members));
  const id = Number.isSafeInteger(members.client_id) ? String(members.client_id) : members.client_id;
  if (request.method !== 'POST' || typeof id !== 'string') return JSON.stringify(members);
  const own = Object.entries(members).filter(([name, member]) => typeof member === ISSUED[name]);
  return JSON.stringify({ ...parsed(request.body), ...Object.fromEntries(own), client_id: id });
}

/** Returns the answer with tokens without optional members of other types. */
function tokensOf({ refresh_token, id_token, expires_in, scope, ...members }: Record<string, unknown>): object {
  return {
    token_type: 'Bearer',
    ...members,
    ...texts({ refresh_token, id_token, scope }),
    ...(Number.isFinite(Number(expires_in ?? Number.NaN)) && { expires_in }),
  };
}

function texts(members: Record<string, unknown>): object {
  return Object.fromEntries(Object.entries(members).filter(([, member]) => typeof member === 'string'));
}

function parsed(body: unknown): Record<string, unknown> | undefined {
  if (typeof body !== 'string' || !/^\s*\{/.test(body)) return undefined;
  return parseJson(body) as Record<string, unknown> | undefined;
}
