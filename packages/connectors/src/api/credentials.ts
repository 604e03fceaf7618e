import { redactSecrets } from '../content/secret-redactor.ts';
import { ToolwrightError } from '../errors.ts';
import type { ApiAuth } from '../servers/server-config.ts';
import { createTokenSource, type TokenSource } from './oauth-token.ts';
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
