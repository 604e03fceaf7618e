import {
  type AuthorizationServerMetadata,
  buildDiscoveryUrls,
  checkResourceAllowed,
  type FetchLike,
  type OAuthDiscoveryState,
  type OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/client';
import * as z from 'zod';
import type { ToolwrightError } from '../../errors.ts';
import { isLoopbackHost } from '../../network/addresses.ts';
import { shownAddress } from '../../network/shown-address.ts';
import { loginFailure } from './failure.ts';

/** The issuer of a server's tokens, with checked metadata. */
export interface Discovery extends OAuthDiscoveryState {
  readonly authorizationServerMetadata: AuthorizationServerMetadata;
}

/** The options of {@link discover}. */
export interface DiscoveryOptions {
  readonly server: string;
  readonly serverUrl: string;
  /** The metadata URL of the server's challenge (RFC 9728, section 5.1). */
  readonly metadataUrl?: URL | undefined;
  readonly fetch: FetchLike;
  /** Whether a person logs in: the issuer must then support PKCE. */
  readonly isInteractive: boolean;
}

/** Statuses of an address that does not exist. */
const ABSENT: ReadonlySet<number> = new Set([404, 405, 410]);
const REPORT = 'Report it to the operator of the server.';

// An optional member with another type counts as absent. A list may be one text, and a flag too.
const list = z
  .preprocess((value) => (typeof value === 'string' ? value.split(/[\s,]+/) : value), z.array(z.string()))
  .optional()
  .catch(undefined);
const flag = z
  .preprocess((value) => (value === 'true' ? true : value), z.boolean())
  .optional()
  .catch(undefined);
const issuers = z.preprocess(
  (value) =>
    typeof value === 'string' ? [value] : Array.isArray(value) ? value.filter((each) => each !== null) : value,
  z.array(z.string()).min(1),
);
const endpoint = z.string().min(1);
const optionalEndpoint = endpoint.optional().catch(undefined);
const resourceSchema = z.looseObject({
  resource: z.string(),
  authorization_servers: issuers,
  scopes_supported: list,
});
const issuerSchema = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: optionalEndpoint,
  token_endpoint: endpoint,
  registration_endpoint: optionalEndpoint,
  revocation_endpoint: optionalEndpoint,
  response_types_supported: list,
  grant_types_supported: list,
  scopes_supported: list,
  code_challenge_methods_supported: list,
  token_endpoint_auth_methods_supported: list,
  client_id_metadata_document_supported: flag,
  authorization_response_iss_parameter_supported: flag,
});

/**
 * Finds the issuer of a server's tokens: the server's metadata (RFC 9728), then the metadata of its first issuer (RFC 8414,
 * OpenID Connect Discovery). A server without metadata is its own issuer, as in revision 2025-03-26. Raises
 * `UPSTREAM_PROTOCOL` for metadata that is missing, unreadable, wrong or unsafe.
 */
export async function discover(options: DiscoveryOptions): Promise<Discovery> {
  const { serverUrl } = options;
  const found = await resourceMetadata(options);
  const issuer = found?.metadata.authorization_servers?.[0] ?? new URL('/', serverUrl).href;
  if (found) checkIssuerUrl(issuer, options, found.url);
  const metadata = await issuerMetadata(issuer, options, found !== undefined);
  checkMetadata(metadata, issuer, options);
  return {
    authorizationServerUrl: issuer,
    authorizationServerMetadata: metadata,
    ...(found && { resourceMetadata: found.metadata, resourceMetadataUrl: found.url.href }),
  };
}

async function resourceMetadata(
  options: DiscoveryOptions,
): Promise<{ readonly url: URL; readonly metadata: OAuthProtectedResourceMetadata } | undefined> {
  const { server, serverUrl, metadataUrl } = options;
  const { pathname, search, origin } = new URL(serverUrl);
  const name = '/.well-known/oauth-protected-resource';
  const path = pathname.replace(/\/$/, '');
  const guesses = [new URL(`${name}${path}${search}`, origin), ...(path === '' ? [] : [new URL(name, origin)])];
  let refused: ToolwrightError | undefined;
  const others = guesses.filter(({ href }) => href !== metadataUrl?.href);
  for (const url of metadataUrl ? [metadataUrl, ...others] : guesses) {
    const document = await readDocument(url, options, url === metadataUrl);
    if (document.json === undefined) {
      // Some servers answer every address with their page.
      if (document.isPage && url !== metadataUrl) continue;
      if (document.failure || !ABSENT.has(document.status))
        refused ??= document.failure ?? statusFailure(server, url, document.status);
      continue;
    }
    const parsed = resourceSchema.safeParse(document.json);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const problem = `has no valid "${issue?.path.join('.') || 'object'}", which RFC 9728 requires`;
      refused ??= loginFailure(server, { url, problem, fix: REPORT });
      continue;
    }
    const { resource } = parsed.data;
    // Servers often name themselves with a slash at the end, and are configured without it.
    const isOwn =
      URL.canParse(resource) &&
      [serverUrl, `${serverUrl}/`].some((each) =>
        checkResourceAllowed({ requestedResource: new URL(each), configuredResource: resource }),
      );
    if (!isOwn) {
      const problem = `names the resource ${shownAddress(resource)}, not ${shownAddress(serverUrl)}`;
      throw loginFailure(server, {
        url,
        problem,
        fix: `Configure that address in mcpServers.${server}.url, or report it.`,
      });
    }
    return { url, metadata: parsed.data };
  }
  // Only a server that certainly has no metadata is its own issuer.
  if (refused) throw refused;
  return undefined;
}

function checkIssuerUrl(issuer: string, { server }: DiscoveryOptions, from: URL): void {
  if (isSafe(issuer)) return;
  const problem = `names the issuer ${shownAddress(issuer)}, which is not an https:// address`;
  throw loginFailure(server, { url: from, problem, fix: REPORT });
}

async function issuerMetadata(
  issuer: string,
  options: DiscoveryOptions,
  isNamed: boolean,
): Promise<AuthorizationServerMetadata> {
  let failure: ToolwrightError | undefined;
  for (const { url } of buildDiscoveryUrls(issuer)) {
    const document = await readDocument(url, options, false);
    failure ??= document.failure;
    if (document.json === undefined) continue;
    const parsed = issuerSchema.safeParse(document.json);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const problem = `has no valid "${issue?.path.join('.') || 'object'}", which RFC 8414 requires`;
      failure ??= loginFailure(options.server, { url, problem, fix: REPORT });
      continue;
    }
    const named = parsed.data.issuer;
    // A URL in metadata often has a slash at its end that the issuer does not have.
    if (named !== issuer && `${named}/` !== issuer) {
      const problem = `names the issuer ${JSON.stringify(named.slice(0, 200))}, but the server names ${JSON.stringify(issuer)}`;
      const fix = `${REPORT} The two must be equal, character by character.`;
      throw loginFailure(options.server, { url, problem, fix });
    }
    return { response_types_supported: ['code'], ...parsed.data } as unknown as AuthorizationServerMetadata;
  }
  if (failure) throw failure;
  if (isNamed) {
    const problem = 'has no metadata: neither RFC 8414 nor OpenID Connect Discovery';
    throw loginFailure(options.server, { url: issuer, problem, fix: REPORT });
  }
  const at = (path: string) => new URL(path, issuer).href;
  return {
    issuer,
    authorization_endpoint: at('/authorize'),
    token_endpoint: at('/token'),
    registration_endpoint: at('/register'),
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  };
}

function checkMetadata(metadata: AuthorizationServerMetadata, issuer: string, options: DiscoveryOptions): void {
  const { server, isInteractive } = options;
  const fail = (problem: string, fix = REPORT) => loginFailure(server, { url: issuer, problem, fix });
  const endpoints = [
    'authorization_endpoint',
    'token_endpoint',
    'registration_endpoint',
    'revocation_endpoint',
  ] as const;
  for (const name of endpoints) {
    const url: unknown = Object(metadata)[name];
    if (typeof url !== 'string') continue;
    if (!isSafe(url)) throw fail(`has the ${name} ${shownAddress(url)}, which is not an https:// address`);
  }
  if (!isInteractive) return;
  if (metadata.authorization_endpoint === undefined) throw fail('has no "authorization_endpoint"', GRANT_FIX(server));
  if (!metadata.response_types_supported.includes('code'))
    throw fail('does not support the response type "code"', GRANT_FIX(server));
  const methods = metadata.code_challenge_methods_supported;
  if (methods === undefined) throw fail('does not announce PKCE: "code_challenge_methods_supported" is missing');
  if (!methods.includes('S256'))
    throw fail(`supports PKCE by ${methods.join(', ').slice(0, 100) || 'no method'}, not by S256`);
}

const GRANT_FIX = (server: string) =>
  `Persons cannot log in there. Use "grant": "client_credentials" in mcpServers.${server}.oauth, or report it.`;

/** Returns the JSON of an address, a status 4xx without JSON, or the failure of text that is not JSON. Raises `UPSTREAM_PROTOCOL`. */
async function readDocument(
  url: URL,
  { server, fetch }: DiscoveryOptions,
  mustExist: boolean,
): Promise<{
  readonly status: number;
  readonly json?: unknown;
  readonly failure?: ToolwrightError;
  readonly isPage?: boolean;
}> {
  const response = await fetch(url, { headers: { accept: 'application/json' } });
  const { status } = response;
  const text = await response.text();
  if (!response.ok) {
    if (!mustExist && status >= 400 && status < 500) return { status };
    throw statusFailure(server, url, status);
  }
  try {
    return { status, json: JSON.parse(text) };
  } catch {
    const isPage = /^\s*</.test(text);
    const kind = isPage ? 'HTML' : 'text that is not JSON';
    const problem = `answered with ${kind} instead of its metadata`;
    return { status, isPage, failure: loginFailure(server, { url, problem, fix: REPORT }) };
  }
}

function statusFailure(server: string, url: URL, status: number): ToolwrightError {
  return loginFailure(server, { url, problem: `answered HTTP ${status} instead of its metadata`, fix: REPORT });
}

/** Returns whether a URL is HTTPS, or of this machine. */
function isSafe(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}
