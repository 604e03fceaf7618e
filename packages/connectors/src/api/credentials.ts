import * as z from 'zod';
import { parseJson } from '../content/json-values.ts';
import { readBytes } from '../content/read-bytes.ts';
import { redactSecrets } from '../content/secret-redactor.ts';
import { ToolwrightError } from '../errors.ts';
import { networkReason } from '../network/network-reason.ts';
import { outgoingFetch } from '../network/outgoing-fetch.ts';
import type { ApiAuth } from '../servers/server-config.ts';
import { orAborted } from './call-scope.ts';
import type { ApiRequest, CallScope } from './request.ts';

/** The credentials of an API, complete: the place of a key and the address for tokens are known. */
export type CompleteAuth =
  | Exclude<ApiAuth, { type: 'apiKey' | 'oauth2' }>
  | (Extract<ApiAuth, { type: 'apiKey' }> & { readonly in: 'header' | 'query' | 'cookie'; readonly name: string })
  | (Extract<ApiAuth, { type: 'oauth2' }> & { readonly tokenUrl: string });

/** Adds configured headers and credentials to requests. */
export interface Credentials {
  /**
   * Returns the request with headers and credentials. The configured ones replace those of the request. Raises
   * `CONFIG_INVALID` like {@link check}.
   */
  addTo(request: ApiRequest, scope: CallScope): Promise<ApiRequest>;
  /** Raises `CONFIG_INVALID` for an address outside of the origins that the credentials are for, if there are any credentials. */
  check(url: URL): void;
  /** Returns whether an address has a secret in it. A server may repeat a key of the query in a redirect. */
  isIn(url: URL): boolean;
  /** Forgets a rejected token. Returns whether another attempt can have a new one. */
  renew(): boolean;
  /** Returns the values that no text may contain. */
  secrets(): readonly string[];
}

/** Headers whose values are no secrets. An address may have them: `response-content-type=application/json`. */
const PUBLIC_HEADER = /^(?:accept(?:-.*)?|content-type|user-agent|.*version)$/i;

/** The access tokens of one OAuth client. */
interface TokenSource {
  /** Returns a valid token. Concurrent calls share one request. Raises `UPSTREAM_UNAVAILABLE`. */
  token(scope: CallScope): Promise<string>;
  /** Forgets the token, which the API has rejected. Returns false without one. */
  forget(): boolean;
  secrets(): readonly string[];
}

type ClientAuth = Extract<ApiAuth, { type: 'oauth2' }> & { readonly tokenUrl: string };

const MAX_ANSWER_BYTES = 1024 * 1024;
/** A token is requested again this long before it expires. */
const EARLY_MS = 30_000;
/** The lifetime of a token when the server does not report one. */
const DEFAULT_LIFETIME_S = 300;

const answerSchema = z.object({
  access_token: z.string().min(1),
  token_type: z
    .string()
    .regex(/^bearer$/i)
    .optional(),
  expires_in: z.coerce.number().positive().optional().catch(undefined),
});

/** Milliseconds for a token request, which the calls of several programs may share. */
const TOKEN_TIMEOUT_MS = 30_000;

/** Creates the credentials of an API. They are sent to the origins of `urls` only. */
export function createCredentials(
  server: string,
  headers: Readonly<Record<string, string>>,
  auth: CompleteAuth | undefined,
  urls: readonly string[],
): Credentials {
  const origins = new Set(urls.map((url) => new URL(url).origin));
  const tokens = auth?.type === 'oauth2' ? createTokenSource(server, auth) : undefined;
  const words = (names: readonly string[]) =>
    names.map((name) => headers[name] ?? '').flatMap((value) => [value, ...value.split(' ')]);
  const names = Object.keys(headers);
  const fixed = [...words(names), ...secretsOf(auth)];
  const hidden = [...words(names.filter((name) => !PUBLIC_HEADER.test(name))), ...secretsOf(auth)];
  const check = (url: URL): void => {
    if ((auth === undefined && names.length === 0) || origins.has(url.origin)) return;
    const text = `${server}: the credentials are not for ${url.origin}, which the description names. Set mcpServers.${server}.baseUrl to the server that receives them.`;
    throw new ToolwrightError('CONFIG_INVALID', text);
  };
  return {
    check,
    isIn: (url) => hasSecret(url, [...hidden, ...(tokens?.secrets() ?? [])]),
    async addTo(request, scope) {
      check(request.url);
      const own = new Headers(request.headers);
      for (const [name, value] of Object.entries(headers)) setHeader(server, own, name, value);
      const url = new URL(request.url);
      if (auth !== undefined) await addAuth(server, auth, { url, headers: own }, tokens, scope);
      return { ...request, url, headers: own };
    },
    renew: () => tokens?.forget() ?? false,
    secrets: () => [...fixed, ...fixed.map(encodeURIComponent), ...(tokens?.secrets() ?? [])],
  };
}

function hasSecret(url: URL, secrets: readonly string[]): boolean {
  const texts = [url.href, unescaped(url.href), ...url.searchParams.values()];
  return texts.some((text) => redactSecrets(text, secrets) !== text);
}

function unescaped(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());
}

async function addAuth(
  server: string,
  auth: CompleteAuth,
  { url, headers }: { url: URL; headers: Headers },
  tokens: TokenSource | undefined,
  scope: CallScope,
): Promise<void> {
  if (auth.type === 'bearer') setHeader(server, headers, 'authorization', `Bearer ${auth.token}`);
  else if (auth.type === 'basic') setHeader(server, headers, 'authorization', `Basic ${basicValue(auth)}`);
  else if (auth.type === 'oauth2') setHeader(server, headers, 'authorization', `Bearer ${await tokens?.token(scope)}`);
  else if (auth.in === 'query') url.searchParams.set(auth.name, auth.value);
  else if (auth.in === 'header') setHeader(server, headers, auth.name, auth.value);
  else {
    const cookie = `${auth.name}=${encodeURIComponent(auth.value)}`;
    setHeader(server, headers, 'cookie', [headers.get('cookie'), cookie].filter((part) => part !== null).join('; '));
  }
}

function basicValue({ username, password }: Extract<ApiAuth, { type: 'basic' }>): string {
  return Buffer.from(`${username}:${password}`).toString('base64');
}

function secretsOf(auth: CompleteAuth | undefined): string[] {
  if (auth === undefined) return [];
  if (auth.type === 'bearer') return [auth.token];
  if (auth.type === 'basic') return [auth.password, basicValue(auth)];
  if (auth.type === 'apiKey') return [auth.value];
  return [auth.clientSecret, ...Object.values(auth.parameters ?? {})];
}

/** The error of `Headers` would quote the value. */
function setHeader(server: string, headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch {
    const text = `mcpServers.${server}: the value of the header ${JSON.stringify(name)} or its name has characters that HTTP does not allow.`;
    throw new ToolwrightError('CONFIG_INVALID', text);
  }
}

/** Creates the source of tokens by the grant `client_credentials` (RFC 6749, section 4.4). */
function createTokenSource(server: string, auth: ClientAuth): TokenSource {
  let current: { readonly token: string; readonly untilMs: number } | undefined;
  let requested: Promise<string> | undefined;

  async function request(): Promise<string> {
    const answer = await requestToken(server, auth);
    const lifetimeMs = (answer.expires_in ?? DEFAULT_LIFETIME_S) * 1_000;
    // A short token must still serve one call.
    const untilMs = performance.now() + Math.max(lifetimeMs - EARLY_MS, lifetimeMs / 2);
    current = { token: answer.access_token, untilMs };
    return answer.access_token;
  }

  return {
    async token({ signal }) {
      if (current !== undefined && performance.now() < current.untilMs) return current.token;
      requested ??= request().finally(() => {
        requested = undefined;
      });
      return orAborted(requested, signal);
    },
    forget() {
      const hadToken = current !== undefined;
      current = undefined;
      return hadToken;
    },
    secrets: () => (current === undefined ? [] : [current.token]),
  };
}

async function requestToken(server: string, auth: ClientAuth): Promise<z.infer<typeof answerSchema>> {
  const { origin, pathname } = new URL(auth.tokenUrl);
  const fail = (reason: string): ToolwrightError => {
    const text = `${server} got no access token from ${origin}${pathname}: ${reason}. Check mcpServers.${server}.auth.`;
    return new ToolwrightError('UPSTREAM_UNAVAILABLE', text, { details: { server } });
  };
  const client = [auth.clientId, auth.clientSecret].map(formEncoded).join(':');
  const scope: Record<string, string> = auth.scopes ? { scope: auth.scopes.join(' ') } : {};
  let status: number;
  let json: unknown;
  try {
    const response = await outgoingFetch(auth.tokenUrl, {
      method: 'POST',
      // A redirect would take the client's secret to another address.
      redirect: 'manual',
      headers: { accept: 'application/json', authorization: `Basic ${Buffer.from(client).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', ...scope, ...auth.parameters }),
      signal: AbortSignal.timeout(TOKEN_TIMEOUT_MS),
    });
    status = response.status;
    json = parseJson((await readBytes(response, MAX_ANSWER_BYTES)).toString());
  } catch (error) {
    throw fail(error instanceof ToolwrightError ? 'its answer is too large' : networkReason(error));
  }
  if (status !== 200) {
    // Only the error code of RFC 6749: other texts may quote the request.
    const { error } = Object(json);
    throw fail(`HTTP ${status}${typeof error === 'string' && /^\w{1,50}$/.test(error) ? `, ${error}` : ''}`);
  }
  const answer = answerSchema.safeParse(json);
  if (answer.success) return answer.data;
  throw fail('its answer has no bearer token');
}

function formEncoded(text: string): string {
  return new URLSearchParams({ x: text }).toString().slice(2);
}
