import {
  type AuthorizationServerMetadata,
  auth,
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
  type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import { ToolwrightError } from '../../errors.ts';
import { type FlowState, flowProvider, type SaveClient } from './client-provider.ts';
import type { FilledContext } from './context.ts';
import { loginFailure, oauthCode } from './failure.ts';

/** One step of a flow: with a code, the exchange for tokens. */
export interface FlowStep {
  readonly server: string;
  readonly filled: FilledContext;
  readonly scope?: string | undefined;
  readonly code?: string | undefined;
  readonly iss?: string | undefined;
  readonly saveClient: SaveClient;
}

/** Runs the flow of the SDK. Raises `UPSTREAM_PROTOCOL` with the cause, the address and the fix, and no text of the issuer. */
export async function runFlow(
  flow: FlowState,
  { server, filled, scope, code, iss, saveClient }: FlowStep,
): Promise<void> {
  const { url, oauth, fetch } = filled;
  const metadata = flow.discovery.authorizationServerMetadata;
  if (flow.client === undefined) checkRegistration(server, metadata, oauth.clientMetadataUrl);
  let asked = '';
  const watchedFetch: typeof fetch = (input, init) => {
    asked = String(input);
    return fetch(input, init);
  };
  try {
    await auth(flowProvider({ server, oauth, fetch: watchedFetch, saveClient }, flow), {
      serverUrl: url,
      fetchFn: watchedFetch,
      forceReauthorization: true,
      scope,
      authorizationCode: code,
      iss,
    });
  } catch (error) {
    throw flowFailure(error, server, metadata, asked);
  }
}

function checkRegistration(
  server: string,
  { issuer, registration_endpoint, client_id_metadata_document_supported: hasDocuments }: AuthorizationServerMetadata,
  documentUrl: string | undefined,
): void {
  if (registration_endpoint !== undefined || (hasDocuments && documentUrl !== undefined)) return;
  const problem = hasDocuments
    ? 'registers no clients, and accepts client metadata documents only'
    : 'registers no clients';
  const fix = hasDocuments ? `Set mcpServers.${server}.oauth.clientMetadataUrl or clientId.` : registerByHand(server);
  throw loginFailure(server, { url: issuer, problem, fix });
}

function registerByHand(server: string): string {
  return `Register a client there by hand, and set mcpServers.${server}.oauth.clientId.`;
}

/**
 * Returns the error of a failed request to an issuer. Its texts may quote secrets, so only its code is shown. `asked` is the address of the
 * request. Default: the one for tokens.
 */
export function flowFailure(
  error: unknown,
  server: string,
  metadata: AuthorizationServerMetadata,
  asked: string = metadata.token_endpoint,
): ToolwrightError {
  if (error instanceof ToolwrightError) return error;
  const { token_endpoint: tokenUrl, registration_endpoint: registrationUrl, issuer } = metadata;
  if (error instanceof RegistrationRejectedError) {
    const code = errorCode(error.body);
    const problem = `rejected the registration of a client with HTTP ${error.status}${code === undefined ? '' : `, ${code}`}`;
    return loginFailure(server, { url: registrationUrl ?? issuer, problem, fix: registerByHand(server) });
  }
  if (error instanceof IssuerMismatchError) {
    const problem = 'did not send the answer of the login: its issuer is missing or another one';
    return loginFailure(server, { url: issuer, problem, fix: 'Log in again. If it happens again, report it.' });
  }
  if (error instanceof InsecureTokenEndpointError)
    return loginFailure(server, { url: tokenUrl, problem: 'is not an https:// address', fix: 'Report it.' });
  if (error instanceof OAuthError) {
    const fix = FIXES[String(error.code)]?.(server) ?? 'Log in again. If it happens again, report it.';
    const [, status] = /^HTTP (\d{3}): Invalid OAuth error response/.exec(error.message) ?? [];
    const what =
      status === undefined ? `with the error ${oauthCode(error.code)}` : `HTTP ${status} without a reason of OAuth`;
    return loginFailure(server, { url: tokenUrl, problem: `answered ${what}`, fix });
  }
  const isRegistration = registrationUrl !== undefined && asked === new URL(registrationUrl).href;
  const problem = isRegistration ? 'registered a client without an id' : 'answered without a valid token';
  const url = isRegistration ? registrationUrl : tokenUrl;
  return loginFailure(server, { url, problem, fix: 'Report it to the operator of the server.' });
}

/** Fixes of errors of RFC 6749 and RFC 8707. */
const FIXES: Readonly<Record<string, (server: string) => string>> = {
  invalid_client: (server) => `Check mcpServers.${server}.oauth.clientId and its secret or key.`,
  unauthorized_client: (server) =>
    `Allow this grant for the client, or set another mcpServers.${server}.oauth.clientId.`,
  invalid_scope: (server) => `Set mcpServers.${server}.oauth.scopes to scopes that the issuer knows.`,
  invalid_target: (server) => `Set mcpServers.${server}.oauth.resource to false if the issuer knows no resources.`,
  unsupported_grant_type: (server) => `Set another mcpServers.${server}.oauth.grant.`,
};

function errorCode(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body);
    return error === undefined ? undefined : oauthCode(error);
  } catch {
    return undefined;
  }
}

/** Returns the client of a flow, which has ended. */
export function clientOf({ client }: FlowState): StoredOAuthClientInformation {
  return client ?? { client_id: '' };
}
