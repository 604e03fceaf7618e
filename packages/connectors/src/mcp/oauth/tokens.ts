import { computeScopeUnion, OAuthError, refreshAuthorization } from '@modelcontextprotocol/client';
import { clientSigning, configuredClient, type FlowState } from './client-provider.ts';
import type { FilledContext } from './context.ts';
import type { Discovery } from './discovery.ts';
import { createDpopKey, openDpop } from './dpop.ts';
import { loginRequired } from './failure.ts';
import { clientOf, flowFailure, runFlow } from './flow.ts';
import type { AccountRecord } from './records.ts';

/** Errors of the token endpoint after which only a new login helps. */
const REFUSED: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

/** The request of tokens for the client itself. */
export interface OwnTokensRequest {
  readonly server: string;
  readonly user: string;
  readonly filled: FilledContext;
  readonly discovery: Discovery;
  /** Scopes, separated by spaces. */
  readonly scope: string | undefined;
}

/** Requests tokens for the client itself, by its secret, key or assertion. Raises `UPSTREAM_PROTOCOL`. */
export async function requestOwnTokens(request: OwnTokensRequest): Promise<AccountRecord> {
  const { server, user, filled, discovery } = request;
  const client = configuredClient(filled.oauth, discovery.authorizationServerMetadata.issuer);
  const dpopKey = filled.oauth.dpop ? await createDpopKey() : undefined;
  const flow: FlowState = { discovery, client, dpopKey };
  const scope = computeScopeUnion(filled.oauth.scopes?.join(' '), request.scope);
  await runFlow(flow, { server, filled, scope, saveClient: async () => undefined });
  const { tokens, resource } = flow;
  if (tokens === undefined) throw loginRequired(server, 'its issuer gave no token');
  // Without a scope in the answer, the token has the requested ones (RFC 6749, section 5.1).
  const granted = { scope, ...tokens };
  return { user, tokens: granted, issuedAtMs: Date.now(), discovery, client: clientOf(flow), resource, dpopKey };
}

/**
 * Requests new tokens with a refresh token. Raises `AUTHORIZATION_REQUIRED` if the issuer refuses it for good, and
 * `UPSTREAM_PROTOCOL` or `UPSTREAM_UNAVAILABLE` if it may work later.
 */
export async function refreshTokens(
  server: string,
  record: AccountRecord,
  { oauth, fetch }: FilledContext,
): Promise<AccountRecord> {
  const { tokens, resource, client, dpopKey } = record;
  const discovery = record.discovery as Discovery;
  const metadata = discovery.authorizationServerMetadata;
  const signing = clientSigning(oauth, discovery);
  try {
    const next = await refreshAuthorization(discovery.authorizationServerUrl, {
      metadata,
      clientInformation: oauth.clientSecret === undefined ? client : { ...client, client_secret: oauth.clientSecret },
      refreshToken: tokens.refresh_token ?? '',
      fetchFn: fetch,
      resource: resource === undefined ? undefined : (resource as unknown as URL),
      dpop: dpopKey === undefined ? undefined : await openDpop(dpopKey),
      addClientAuthentication: signing,
    });
    const kept = { scope: tokens.scope };
    const issuer = tokens.issuer ?? metadata.issuer;
    return { ...record, tokens: { ...kept, ...next, issuer }, issuedAtMs: Date.now() };
  } catch (error) {
    if (error instanceof OAuthError && REFUSED.has(String(error.code)))
      throw loginRequired(server, 'the login has expired');
    throw flowFailure(error, server, metadata);
  }
}

/** Returns whether an access token expires within these milliseconds. A short token is used for half of its life. */
export function expiresWithin({ tokens, issuedAtMs }: AccountRecord, earlyMs: number): boolean {
  const { expires_in: lifetimeS } = tokens;
  if (lifetimeS === undefined) return false;
  const lifetimeMs = Number(lifetimeS) * 1_000;
  return Date.now() >= issuedAtMs + lifetimeMs - Math.min(earlyMs, lifetimeMs / 2);
}
