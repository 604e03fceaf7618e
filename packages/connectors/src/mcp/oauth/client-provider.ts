import {
  createPrivateKeyJwtAuth,
  type FetchLike,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  requestJwtAuthorizationGrant,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { ToolwrightError } from '../../errors.ts';
import type { IdentityProvider, OAuthSettings } from '../../servers/server-config.ts';
import type { Discovery } from './discovery.ts';
import { type DpopKey, openDpop } from './dpop.ts';
import { loginFailure } from './failure.ts';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** The state of one flow. The SDK's flow reads and fills it. */
export interface FlowState {
  readonly discovery: Discovery;
  /** Address of the callback; without it nobody logs in, and the client authenticates itself. */
  readonly redirectUrl?: string | undefined;
  readonly state?: string | undefined;
  readonly dpopKey?: DpopKey | undefined;
  client?: StoredOAuthClientInformation | undefined;
  verifier?: string | undefined;
  resource?: string | undefined;
  tokens?: StoredOAuthTokens | undefined;
  link?: URL | undefined;
}

/** Stores a client that the issuer has registered. */
export type SaveClient = (client: StoredOAuthClientInformation | undefined) => Promise<void>;

/** Returns whether a person logs in, and not the client itself. */
export function isInteractive({ grant = 'authorization_code' }: OAuthSettings): boolean {
  return grant === 'authorization_code';
}

/** Returns the client that the configuration names; undefined if there is none. It belongs to one issuer. */
export function configuredClient(oauth: OAuthSettings, issuer: string): StoredOAuthClientInformation | undefined {
  if (oauth.clientId === undefined) return undefined;
  const method = oauth.privateKey === undefined ? {} : { token_endpoint_auth_method: 'private_key_jwt' };
  const secret = { client_secret: oauth.clientSecret };
  return { client_id: oauth.clientId, ...secret, ...method, issuer } as StoredOAuthClientInformation;
}

/** The parts of a flow that do not change. */
export interface FlowParts {
  readonly server: string;
  readonly oauth: OAuthSettings;
  /** Sends requests to issuers. */
  readonly fetch: FetchLike;
  readonly saveClient: SaveClient;
}

/** Creates the provider for one flow of the SDK. */
export function flowProvider({ server, oauth, fetch, saveClient }: FlowParts, flow: FlowState): OAuthClientProvider {
  const { redirectUrl, state, discovery, dpopKey } = flow;
  const signing = clientSigning(oauth, discovery);
  return {
    redirectUrl,
    clientMetadata: clientMetadata(oauth, flow),
    clientMetadataUrl: oauth.clientMetadataUrl,
    state: state === undefined ? undefined : () => state,
    addClientAuthentication: signing,
    // The discovery has checked it. The issuer compares it as text, and a URL would add a slash.
    validateResourceURL: async (_server: unknown, named?: string) => (oauth.resource === false ? undefined : named),
    prepareTokenRequest:
      redirectUrl === undefined ? (scope?: string) => tokenRequest({ server, oauth, fetch }, flow, scope) : undefined,
    dpop: dpopKey === undefined ? undefined : () => openDpop(dpopKey),
    clientInformation: () => flow.client,
    async saveClientInformation(client) {
      flow.client = client;
      await saveClient(client);
    },
    tokens: () => flow.tokens,
    saveTokens(tokens) {
      flow.tokens = tokens;
    },
    redirectToAuthorization(link) {
      flow.link = link;
    },
    saveCodeVerifier(verifier) {
      flow.verifier = verifier;
    },
    codeVerifier: () => flow.verifier ?? '',
    discoveryState: () => discovery,
    saveDiscoveryState: () => undefined,
    saveResourceUrl(resource: string | URL) {
      flow.resource = String(resource);
    },
    async invalidateCredentials(scope) {
      // A configured client stays: the issuer must not get another one instead.
      if ((scope !== 'client' && scope !== 'all') || oauth.clientId !== undefined) return;
      flow.client = undefined;
      await saveClient(undefined);
    },
  } as OAuthClientProvider;
}

/** Returns the function that signs token requests with the configured key (RFC 7523); undefined without a key. */
export function clientSigning(
  { privateKey, clientId = '', keyAlgorithm = 'ES256' }: OAuthSettings,
  { authorizationServerMetadata }: Discovery,
): ReturnType<typeof createPrivateKeyJwtAuth> | undefined {
  if (privateKey === undefined) return undefined;
  const audience = authorizationServerMetadata.issuer;
  return createPrivateKeyJwtAuth({ issuer: clientId, subject: clientId, privateKey, alg: keyAlgorithm, audience });
}

async function tokenRequest(
  parts: Omit<FlowParts, 'saveClient'>,
  flow: FlowState,
  scope: string | undefined,
): Promise<URLSearchParams> {
  const { grant, idp, assertion = '' } = parts.oauth;
  const parameters: Record<string, string> =
    grant === 'enterprise' && idp
      ? { grant_type: JWT_BEARER, assertion: await enterpriseAssertion(parts, { idp, flow, scope }) }
      : grant === 'jwt_bearer'
        ? { grant_type: JWT_BEARER, assertion }
        : { grant_type: 'client_credentials' };
  if (scope !== undefined) parameters.scope = scope;
  return new URLSearchParams(parameters);
}

/** Exchanges the user's identity token for an assertion to the issuer of the server (enterprise-managed authorization). */
async function enterpriseAssertion(
  { server, fetch }: Omit<FlowParts, 'saveClient'>,
  {
    idp,
    flow,
    scope,
  }: { readonly idp: IdentityProvider; readonly flow: FlowState; readonly scope: string | undefined },
): Promise<string> {
  const { tokenUrl: tokenEndpoint, clientId, clientSecret, idToken } = idp;
  try {
    const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
      tokenEndpoint,
      clientId,
      idToken,
      fetchFn: fetch,
      resource: flow.resource ?? '',
      audience: flow.discovery.authorizationServerMetadata.issuer,
      clientSecret,
      scope,
    });
    return jwtAuthGrant;
  } catch (error) {
    if (error instanceof ToolwrightError) throw error;
    const fix = `Check mcpServers.${server}.oauth.idp, and that its identity token has not expired.`;
    throw loginFailure(server, { url: tokenEndpoint, problem: 'gave no assertion for the server', fix });
  }
}

function clientMetadata({ scopes }: OAuthSettings, { redirectUrl, discovery }: FlowState): OAuthClientMetadata {
  const { token_endpoint_auth_methods_supported: methods = ['none'] } = discovery.authorizationServerMetadata;
  const method = ['none', 'client_secret_basic', 'client_secret_post'].find((each) => methods.includes(each)) ?? 'none';
  return {
    client_name: 'Toolwright',
    redirect_uris: redirectUrl === undefined ? [] : [redirectUrl],
    ...(redirectUrl === undefined
      ? {}
      : { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] }),
    token_endpoint_auth_method: method,
    scope: scopes?.join(' '),
  };
}
