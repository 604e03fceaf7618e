import { getOAuthProtectedResourceMetadataUrl } from '@modelcontextprotocol/server';
import type { JwtSettings } from '@toolwright/core/internal';
import type { HttpApi } from '../http/api.ts';

/** What clients are told of this server as a resource that tokens are made for, by RFC 9728. */
export interface ProtectedResource {
  /** The URL that names it, which clients ask the issuer for a token for (RFC 8707), as who asks reaches it. */
  resource(request: Request): URL;
  /** The issuer of the tokens. */
  readonly issuer: string;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * What there is to tell of a server that takes these tokens; nothing where the issuer is no URL, since clients could not
 * go there. An `audience` that is a URL is the server's name; else it is the URL of `/mcp` under the host that was asked.
 */
export function protectedResource({ issuer, audience }: JwtSettings): ProtectedResource | undefined {
  if (!isHttpUrl(issuer)) return undefined;
  const named = isHttpUrl(audience) ? new URL(audience) : undefined;
  return { issuer, resource: (request) => named ?? ownUrl(new URL(request.url)) };
}

/** Where the metadata of the resource is, as `WWW-Authenticate` names it. */
export function metadataUrl({ resource }: ProtectedResource, request: Request): string {
  return getOAuthProtectedResourceMetadataUrl(resource(request));
}

/** Adds the metadata, which whoever has no token yet may read: under the path of the resource, and at the root. */
export function addMetadataRoutes(api: HttpApi, known: ProtectedResource): void {
  const paths = [
    'http://localhost/',
    'http://localhost/mcp',
    known.resource(new Request('http://localhost/')).href,
  ].map((url) => new URL(getOAuthProtectedResourceMetadataUrl(new URL(url))).pathname);
  for (const path of new Set(paths)) {
    api.get(path, ({ req, json }) =>
      json({
        resource: known.resource(req.raw).href,
        authorization_servers: [known.issuer],
        bearer_methods_supported: ['header'],
        resource_name: 'Toolwright',
      }),
    );
  }
}

/** We speak plain HTTP; for others than this machine TLS ends in front of us. */
function ownUrl({ host, hostname }: URL): URL {
  return new URL(`${LOOPBACK.test(hostname) ? 'http' : 'https'}://${host}/mcp`);
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
