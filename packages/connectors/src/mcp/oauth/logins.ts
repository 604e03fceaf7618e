import { randomBytes } from 'node:crypto';
import {
  computeScopeUnion,
  type StoredOAuthClientInformation,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import { ToolwrightError } from '../../errors.ts';
import { sameOriginFetch } from '../http/same-origin-fetch.ts';
import { probe } from './challenge.ts';
import { clientSigning, configuredClient, type FlowState, isInteractive } from './client-provider.ts';
import { type FilledContext, filledContext, LOGIN_LIFETIME_MS, type OAuthContext, serverKey } from './context.ts';
import type { CredentialPlace, Credentials } from './credentials.ts';
import { type Discovery, discover } from './discovery.ts';
import { createDpopKey, type DpopKey } from './dpop.ts';
import { loginFailure, oauthCode } from './failure.ts';
import { clientOf, flowFailure, runFlow } from './flow.ts';
import type { LoginState } from './login-state.ts';
import type { AccountRecord, ChallengeRecord } from './records.ts';
import { expiresWithin } from './tokens.ts';

/** A login that waits for its callback. */
export interface OpenLogin {
  /** The name of the server. */
  readonly server: string;
  readonly user: string;
}

/** The stored form of an open login. */
interface LoginRecord extends OpenLogin {
  readonly key: string;
  readonly redirectUrl: string;
  readonly verifier: string;
  readonly dpopKey?: DpopKey | undefined;
  readonly discovery: Discovery;
  readonly client: StoredOAuthClientInformation;
  readonly scope?: string | undefined;
  readonly resource?: string | undefined;
}

/** A started login. */
export interface StartedLogin {
  /** The address that the user opens in a browser. */
  readonly link: string;
  /** The secret that the callback must return (RFC 6749, section 10.12). */
  readonly state: string;
}

function loginPlace(state: string): CredentialPlace {
  return { kind: 'login', server: state, name: 'login' };
}

/** Returns the started login of a callback; undefined if it is unknown, finished or expired. */
export function findLogin(credentials: Credentials, state: string): Promise<OpenLogin | undefined> {
  return credentials.read<LoginRecord>(loginPlace(state));
}

/** Starts a login. Raises `UPSTREAM_PROTOCOL` with the cause that prevents it, and `CONFIG_INVALID` where nobody logs in. */
export async function startLogin(context: OAuthContext, user: string, redirectUrl: string): Promise<StartedLogin> {
  const { server, credentials } = context;
  const key = serverKey(context);
  const filled = await filledContext(context);
  const { oauth, url, fetch } = filled;
  if (!isInteractive(oauth)) {
    const message = `${server} needs no login: mcpServers.${server}.oauth has the grant ${oauth.grant}.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const asked = await credentials.read<ChallengeRecord>({ kind: 'challenge', server: key, name: user });
  const challenge = await challengeFor(server, filled);
  if (challenge === undefined && asked === undefined && context.config.oauth === undefined)
    throw loginFailure(server, { url, problem: 'requires no login', fix: 'Use it without one.' });
  const discovery = await discover({
    server,
    serverUrl: url,
    metadataUrl: challenge?.metadataUrl ?? (asked?.metadataUrl === undefined ? undefined : new URL(asked.metadataUrl)),
    fetch,
    isInteractive: true,
  });
  const state = randomBytes(32).toString('base64url');
  const clients = clientPlaces(context, discovery, redirectUrl);
  const dpopKey = oauth.dpop ? await createDpopKey() : undefined;
  const flow: FlowState = { discovery, redirectUrl, state, dpopKey, client: await clients.find(filled) };
  const scope = computeScopeUnion(oauth.scopes?.join(' '), asked?.scope, challenge?.scope);
  await runFlow(flow, { server, filled, scope, saveClient: clients.save });
  const { verifier = '', resource, link } = flow;
  const client = clientOf(flow);
  const login: LoginRecord = {
    server,
    key,
    user,
    redirectUrl,
    verifier,
    discovery,
    client,
    scope,
    resource,
    dpopKey,
  };
  await credentials.write(loginPlace(state), login, LOGIN_LIFETIME_MS);
  return { link: String(link), state };
}

/** Finishes a login with the parameters of its callback. Each login is finished once. Raises `UPSTREAM_PROTOCOL`. */
export async function finishLogin(context: OAuthContext, state: string, params: URLSearchParams): Promise<void> {
  const { server, credentials } = context;
  const login = await credentials.take<LoginRecord>(loginPlace(state));
  if (login === undefined || login.key !== serverKey(context)) throw unknownLogin();
  const { user, redirectUrl, verifier, discovery, client, scope, resource, dpopKey } = login;
  const { issuer, authorization_response_iss_parameter_supported: isSent } = discovery.authorizationServerMetadata;
  const iss = params.get('iss') ?? undefined;
  try {
    // First of all: the other parameters of another issuer must not be shown.
    validateAuthorizationResponseIssuer({ iss, expectedIssuer: issuer, issParameterSupported: isSent === true });
  } catch (error) {
    throw flowFailure(error, server, discovery.authorizationServerMetadata);
  }
  const code = params.get('code');
  if (code === null) {
    const refusal = params.get('error');
    const problem = refusal === null ? 'sent neither a code nor an error' : `refused the login: ${oauthCode(refusal)}`;
    throw loginFailure(server, { url: issuer, problem, fix: 'Log in again, and accept the access.' });
  }
  const filled = await filledContext(context);
  const flow: FlowState = { discovery, redirectUrl, client, verifier, dpopKey };
  const clients = clientPlaces(context, discovery, redirectUrl);
  await runFlow(flow, { server, filled, scope, code, iss, saveClient: clients.save });
  if (flow.tokens === undefined)
    throw loginFailure(server, { url: issuer, problem: 'gave no token', fix: 'Log in again.' });
  const tokens = { scope, ...flow.tokens };
  const record: AccountRecord = {
    user,
    tokens,
    issuedAtMs: Date.now(),
    discovery,
    client,
    resource: flow.resource ?? resource,
    dpopKey,
  };
  const place: CredentialPlace = { kind: 'account', server: serverKey(context), name: user };
  await credentials.exclusive(place, () => credentials.write(place, record));
  await clients.bind(filled);
}

/** Returns the error of a callback that belongs to no open login. */
export function unknownLogin(): ToolwrightError {
  const message = 'This login is unknown, finished already, or older than 10 minutes. Start it again.';
  return new ToolwrightError('INVALID_ARGUMENTS', message);
}

/** Deletes the tokens of a user. Resolves to whether the issuer has revoked them (RFC 7009). */
export async function logOut(context: OAuthContext, user: string): Promise<{ wasIn: boolean; isRevoked: boolean }> {
  const { credentials } = context;
  const place: CredentialPlace = { kind: 'account', server: serverKey(context), name: user };
  const record = await credentials.exclusive(place, () => credentials.take<AccountRecord>(place));
  await credentials.delete({ ...place, kind: 'challenge' });
  if (record === undefined) return { wasIn: false, isRevoked: false };
  return { wasIn: true, isRevoked: await revoke(record, await filledContext(context)).catch(() => false) };
}

/** Returns the state of a user's login. */
export async function loginState(context: OAuthContext, user: string): Promise<LoginState> {
  const place: CredentialPlace = { kind: 'account', server: serverKey(context), name: user };
  const record = await context.credentials.read<AccountRecord>(place);
  if (record === undefined) return 'none';
  return record.tokens.refresh_token === undefined && expiresWithin(record, 0) ? 'expired' : 'authorized';
}

async function challengeFor(server: string, { url, headers }: FilledContext) {
  const send = sameOriginFetch(url);
  try {
    return await probe(url, (input, init) =>
      send(input, { ...init, headers: { ...headers, ...Object(init?.headers) } }),
    );
  } catch (error) {
    if (error instanceof ToolwrightError) throw error;
    throw loginFailure(server, {
      url,
      problem: 'could not be reached',
      fix: `Start it, or fix mcpServers.${server}.url.`,
    });
  }
}

async function revoke({ discovery, tokens, client }: AccountRecord, filled: FilledContext): Promise<boolean> {
  const checked = discovery as Discovery;
  const { revocation_endpoint: endpoint }: { revocation_endpoint?: unknown } = Object(
    checked.authorizationServerMetadata,
  );
  if (typeof endpoint !== 'string') return false;
  const kinds = [
    ['refresh_token', tokens.refresh_token],
    ['access_token', tokens.access_token],
  ] as const;
  let isRevoked = true;
  for (const [hint, token] of kinds) {
    if (token === undefined) continue;
    const body = new URLSearchParams({ token, token_type_hint: hint, client_id: client.client_id });
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
    const secret = filled.oauth.clientSecret ?? client.client_secret;
    if (secret !== undefined) body.set('client_secret', secret);
    await clientSigning(filled.oauth, checked)?.(headers, body, endpoint, checked.authorizationServerMetadata);
    const { ok } = await filled.fetch(endpoint, { method: 'POST', headers, body });
    isRevoked &&= ok;
  }
  return isRevoked;
}

/** The client of one server at one issuer. A configured one belongs to the issuer of its first login. */
function clientPlaces(context: OAuthContext, discovery: Discovery, redirectUrl: string) {
  const { server, credentials } = context;
  const { issuer } = discovery.authorizationServerMetadata;
  const place: CredentialPlace = { kind: 'client', server: serverKey(context), name: issuer };
  const bound: CredentialPlace = { ...place, name: 'configured' };
  return {
    async find({ oauth }: FilledContext): Promise<StoredOAuthClientInformation | undefined> {
      const configured = configuredClient(oauth, issuer);
      if (configured) {
        const first = await credentials.read<{ issuer: string; clientId: string }>(bound);
        if (first === undefined || first.clientId !== configured.client_id || first.issuer === issuer)
          return configured;
        const problem = `is not the issuer of the configured client, which is ${first.issuer}`;
        const fix = `If the server has moved, change mcpServers.${server}.oauth.clientId to a client of the new issuer.`;
        throw loginFailure(server, { url: issuer, problem, fix });
      }
      const stored = await credentials.read<{ client: StoredOAuthClientInformation; redirectUrl: string }>(place);
      return stored?.redirectUrl === redirectUrl ? stored.client : undefined;
    },
    async save(client: StoredOAuthClientInformation | undefined): Promise<void> {
      if (client === undefined) await credentials.delete(place);
      else await credentials.write(place, { client, redirectUrl });
    },
    /** Binds a configured client to the issuer, after a login. */
    async bind({ oauth: { clientId } }: FilledContext): Promise<void> {
      if (clientId !== undefined) await credentials.write(bound, { issuer, clientId });
    },
  };
}
