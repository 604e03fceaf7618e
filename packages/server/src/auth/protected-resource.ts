import { getOAuthProtectedResourceMetadataUrl } from '@modelcontextprotocol/server';
import type { JwtSettings } from '@toolwright/core/internal';
import type { HttpApi } from '../http/api.ts';

/** The metadata of this server as a protected resource (RFC 9728). */
export interface ProtectedResource {
  /** Returns the resource identifier (RFC 8707). Without a configured one, it contains the host of the request. */
  resource(request: Request): URL;
  /** The URL of the token issuer. */
  readonly issuer: string;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Returns the metadata of a server that accepts tokens of this issuer. Returns `undefined` when the issuer is not a URL,
 * because clients could not reach it. The resource identifier is `audience` when that is a URL, else the URL of `/mcp`.
 */
export function protectedResource({ issuer, audience }: JwtSettings): ProtectedResource | undefined {
  if (!isHttpUrl(issuer)) return undefined;
  const named = isHttpUrl(audience) ? new URL(audience) : undefined;
  return { issuer, resource: (request) => named ?? ownUrl(new URL(request.url)) };
}

/** Returns the URL of the metadata, for `WWW-Authenticate`. */
export function metadataUrl({ resource }: ProtectedResource, request: Request): string {
  return getOAuthProtectedResourceMetadataUrl(resource(request));
}

/** Adds the metadata, for clients without a token: under the path of the resource, and at the root. */
export function addMetadataRoutes(api: HttpApi, metadata: ProtectedResource): void {
  const paths = [
    'http://localhost/',
    'http://localhost/mcp',
    metadata.resource(new Request('http://localhost/')).href,
  ].map((url) => new URL(getOAuthProtectedResourceMetadataUrl(new URL(url))).pathname);
  for (const path of new Set(paths)) {
    api.get(path, ({ req, json }) =>
      json({
        resource: metadata.resource(req.raw).href,
        authorization_servers: [metadata.issuer],
        bearer_methods_supported: ['header'],
        resource_name: 'Toolwright',
      }),
    );
  }
}

/** Returns the URL of `/mcp`. The server itself has no TLS: hosts other than loopback have a TLS proxy in front. */
function ownUrl({ host, hostname }: URL): URL {
  return new URL(`${LOOPBACK.test(hostname) ? 'http' : 'https'}://${host}/mcp`);
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
