import type { FillSecrets, HttpServerConfig, OAuthSettings } from '../../servers/server-config.ts';
import type { Credentials } from './credentials.ts';
import { issuerFetch } from './issuer-fetch.ts';

/** Milliseconds for which a started login can be finished. */
export const LOGIN_LIFETIME_MS = 600_000;

/** A server with OAuth, and the parts that its accounts and logins share. */
export interface OAuthContext {
  /** The name of the server. */
  readonly server: string;
  readonly config: HttpServerConfig;
  readonly credentials: Credentials;
  readonly fill: FillSecrets;
}

/** The configuration of a server with its secrets. */
export interface FilledContext {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly oauth: OAuthSettings;
  /** Sends requests to the issuer. */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
}

/** Returns whether a server may use OAuth: over HTTP, and without a configured credential. */
export function mayUseOAuth(config: { readonly url?: string } | HttpServerConfig): config is HttpServerConfig {
  const { url, headers, oauth } = config as Partial<HttpServerConfig>;
  if (url === undefined || oauth === false) return false;
  return !Object.keys(headers ?? {}).some((name) => name.toLowerCase() === 'authorization');
}

/** Returns the key of a server in the store: tokens for another URL are other tokens. */
export function serverKey({ server, config }: OAuthContext): string {
  return JSON.stringify([server, config.url]);
}

/** Fills the secrets of a server. Raises `CONFIG_INVALID`. */
export async function filledContext({ server, config, fill }: OAuthContext): Promise<FilledContext> {
  const { url, headers = {}, oauth } = await fill(server, config);
  const fetch = issuerFetch({ server, serverUrl: url });
  return { url, headers, oauth: oauth === undefined || oauth === false ? {} : oauth, fetch };
}
