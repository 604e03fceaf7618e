import {
  type AuthProvider,
  computeScopeUnion,
  isStrictScopeSuperset,
  OAuthError,
  refreshAuthorization,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import { ToolwrightError } from '../../../errors.ts';
import { type Challenge, challengeOf } from './challenge.ts';
import { clientSigning, configuredClient, type FlowState, isInteractive } from './client-provider.ts';
import { type FilledContext, filledContext, type OAuthContext, serverKey } from './context.ts';
import type { AccountRecord, ChallengeRecord, CredentialPlace } from './credentials.ts';
import { type Discovery, discover } from './discovery.ts';
import { loginRequired } from './failure.ts';
import { clientOf, flowFailure, runFlow } from './flow.ts';

/** The account of one user at one server. */
export interface Account {
  /** Adds the user's token to requests, and renews it. */
  readonly provider: AuthProvider;
  /**
   * Handles an answer 403 for missing scopes. Resolves when the call can be sent again with more scopes. Raises
   * `AUTHORIZATION_REQUIRED` when the user must grant them, and `ACCESS_DENIED` after three tries.
   */
  stepUp(scope: string | undefined): Promise<void>;
  /** Returns the error of an answer 401 to a new token; undefined if the server does not ask for tokens. */
  rejected(): ToolwrightError | undefined;
  /** Returns the tokens in use, for their redaction. */
  secrets(): readonly string[];
  /** Forgets what it knows, after a login or logout. */
  forget(): void;
}

/** A token is renewed this long before it expires, in milliseconds. */
const EARLY_MS = 30_000;
/** Milliseconds for which a read record counts: another process may change it. */
const CACHE_MS = 1_000;
const MAX_STEP_UPS = 3;

/** Creates the account of a user. Reads the store before the first request. */
export function createAccount(context: OAuthContext, user: string): Account {
  const { server, credentials } = context;
  const place: CredentialPlace = { kind: 'account', server: serverKey(context), name: user };
  const challengePlace: CredentialPlace = { ...place, kind: 'challenge' };
  let cached: { readonly record: AccountRecord | undefined; readonly atMs: number } | undefined;
  let isRefused = false;

  async function read(isFresh: boolean): Promise<AccountRecord | undefined> {
    if (!isFresh && cached && performance.now() - cached.atMs < CACHE_MS) return cached.record;
    const record = await credentials.read<AccountRecord>(place);
    cached = { record, atMs: performance.now() };
    return record;
  }

  async function save(record: AccountRecord): Promise<void> {
    await credentials.write(place, record);
    cached = { record, atMs: performance.now() };
  }

  /** Replaces a token once, although several calls and processes ask for it. */
  function renew(
    rejected: string | undefined,
    challenge: Challenge | undefined,
    scope?: string,
  ): Promise<AccountRecord> {
    return credentials.exclusive(place, async () => {
      const record = await read(true);
      if (record && scope === undefined && record.tokens.access_token !== rejected && !expiresWithin(record, 0))
        return record;
      const filled = await filledContext(context);
      const isOwnGrant = !isInteractive(filled.oauth);
      const needsDiscovery = challenge !== undefined || (record === undefined && isOwnGrant);
      const found = needsDiscovery ? await discoverFor(filled, challenge, !isOwnGrant) : undefined;
      if (isOwnGrant) {
        const discovery = found ?? (record?.discovery as Discovery);
        const next = await ownTokens(filled, discovery, scope ?? challenge?.scope ?? record?.tokens.scope);
        await save(next);
        return next;
      }
      const hasMoved = found !== undefined && found.authorizationServerMetadata.issuer !== record?.tokens.issuer;
      if (record?.tokens.refresh_token === undefined || hasMoved) {
        if (challenge && user !== '') await remember(challenge);
        const reason = record === undefined ? 'nobody has logged in' : 'the login has expired';
        throw loginRequired(server, reason);
      }
      const next = await refreshed(record, filled);
      await save(next);
      return next;
    });
  }

  /** Keeps the challenge for the login: a server may answer requests without a token until a tool is called. */
  async function remember({ scope, metadataUrl }: Challenge): Promise<void> {
    const before = await credentials.read<ChallengeRecord>(challengePlace);
    const next: ChallengeRecord = {
      scope: computeScopeUnion(before?.scope, scope),
      metadataUrl: metadataUrl?.href,
      tries: before?.tries ?? 0,
    };
    await credentials.write(challengePlace, next);
  }

  const discoverFor = (filled: FilledContext, challenge: Challenge | undefined, isPerson: boolean) =>
    discover({
      server,
      serverUrl: filled.url,
      metadataUrl: challenge?.metadataUrl,
      fetch: filled.fetch,
      isInteractive: isPerson,
    });

  /** Requests tokens for the client itself. */
  async function ownTokens(filled: FilledContext, discovery: Discovery, scope?: string): Promise<AccountRecord> {
    const { scopes } = filled.oauth;
    const client = configuredClient(filled.oauth, discovery.authorizationServerMetadata.issuer);
    const flow: FlowState = { discovery, client };
    const wanted = computeScopeUnion(scopes?.join(' '), scope);
    await runFlow(flow, { server, filled, scope: wanted, saveClient: async () => undefined });
    const { tokens, resource } = flow;
    if (tokens === undefined) throw loginRequired(server, 'its issuer gave no token');
    // Without a scope in the answer, the token has the requested ones (RFC 6749, section 5.1).
    const granted = { ...(wanted === undefined ? {} : { scope: wanted }), ...tokens };
    return { user, tokens: granted, issuedAtMs: Date.now(), discovery, client: clientOf(flow), resource };
  }

  async function refreshed(record: AccountRecord, { oauth, fetch }: FilledContext): Promise<AccountRecord> {
    const { tokens, resource, client, user: owner } = record;
    const discovery = record.discovery as Discovery;
    const metadata = discovery.authorizationServerMetadata;
    const signing = clientSigning(oauth, discovery);
    const issuer = tokens.issuer ?? metadata.issuer;
    try {
      const next = await refreshAuthorization(discovery.authorizationServerUrl, {
        metadata,
        clientInformation: oauth.clientSecret === undefined ? client : { ...client, client_secret: oauth.clientSecret },
        refreshToken: tokens.refresh_token ?? '',
        fetchFn: fetch,
        ...(resource === undefined ? {} : { resource: resource as unknown as URL }),
        ...(signing === undefined ? {} : { addClientAuthentication: signing }),
      });
      const kept = tokens.scope === undefined ? {} : { scope: tokens.scope };
      return { user: owner, tokens: { ...kept, ...next, issuer }, issuedAtMs: Date.now(), discovery, client, resource };
    } catch (error) {
      if (error instanceof OAuthError && REFUSED.has(String(error.code))) {
        await credentials.delete(place);
        cached = undefined;
        throw loginRequired(server, 'the login has expired');
      }
      throw flowFailure(error, server, metadata);
    }
  }

  const provider: AuthProvider = {
    async token() {
      const record = await read(false);
      if (record === undefined) return undefined;
      if (!expiresWithin(record, EARLY_MS)) return record.tokens.access_token;
      const { access_token: current, refresh_token: refreshToken } = record.tokens;
      const isValid = !expiresWithin(record, 0);
      const canRenew = refreshToken !== undefined || !isInteractive((await filledContext(context)).oauth);
      if (!canRenew) return isValid ? current : undefined;
      try {
        return (await renew(current, undefined)).tokens.access_token;
      } catch (error) {
        if (isValid && !(error instanceof ToolwrightError && error.code === 'AUTHORIZATION_REQUIRED')) return current;
        throw error;
      }
    },
    async onUnauthorized({ response }) {
      const sent = cached?.record?.tokens.access_token;
      const challenge = challengeOf(response);
      if (challenge === undefined && context.config.oauth === undefined && sent === undefined) {
        throw new SdkHttpError(SdkErrorCode.ClientHttpAuthentication, 'HTTP 401', { status: 401 });
      }
      isRefused = true;
      await renew(sent, challenge ?? {});
    },
  };

  return {
    provider,
    async stepUp(required) {
      const record = await read(true);
      const before = await credentials.read<ChallengeRecord>(challengePlace);
      const scope = computeScopeUnion(record?.tokens.scope, before?.scope, required);
      const isMore = isStrictScopeSuperset(scope, before?.scope);
      const tries = isMore ? 1 : (before?.tries ?? 0) + 1;
      if (tries > MAX_STEP_UPS) {
        const text = `${server} refuses the call for missing scopes, although they were granted ${MAX_STEP_UPS} times: ${scope}. Report it to the operator of the server.`;
        throw new ToolwrightError('ACCESS_DENIED', text, { details: { server } });
      }
      await credentials.write(challengePlace, { scope, tries } satisfies ChallengeRecord);
      if (isInteractive((await filledContext(context)).oauth))
        throw loginRequired(server, `the call needs more permissions (${scope ?? 'unnamed scopes'})`);
      await renew(record?.tokens.access_token, undefined, scope);
    },
    rejected: () => (isRefused ? loginRequired(server, 'it rejected a new token') : undefined),
    secrets() {
      const { access_token: access, refresh_token: refresh } = cached?.record?.tokens ?? {};
      return [access, refresh].filter((text) => text !== undefined);
    },
    forget() {
      cached = undefined;
    },
  };
}

/** Errors of the token endpoint after which only a new login helps. */
const REFUSED: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

/** Returns whether an access token expires within these milliseconds. A short token is used for half of its life. */
export function expiresWithin({ tokens, issuedAtMs }: AccountRecord, earlyMs: number): boolean {
  const { expires_in: lifetimeS } = tokens;
  if (lifetimeS === undefined) return false;
  const lifetimeMs = Number(lifetimeS) * 1_000;
  return Date.now() >= issuedAtMs + lifetimeMs - Math.min(earlyMs, lifetimeMs / 2);
}
