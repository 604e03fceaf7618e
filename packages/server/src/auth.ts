import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Logger } from '@toolwright/core';
import type { Context, MiddlewareHandler } from 'hono';
import { KEY_PREFIX } from './auth/api-key-text.ts';
import type { ApiKeys } from './auth/api-keys.ts';
import type { JwtVerifier } from './auth/jwt.ts';
import { metadataUrl, type ProtectedResource } from './auth/protected-resource.ts';
import type { HttpEnv } from './http/api.ts';
import { HttpProblem } from './http/requests/problem.ts';
import { LOCAL_PRINCIPAL, type Principal, type PrincipalEnv, scopesIn, tokenPrincipal } from './principal.ts';
import type { RateLimiter } from './rate-limit.ts';
import { refusalOf, refuse, unavailable } from './refusal.ts';

/** The checks of credentials. */
export interface CredentialChecks {
  readonly keys: ApiKeys;
  /** Checks credentials that are not API keys. Without it, only API keys are accepted. */
  readonly jwt?: JwtVerifier | undefined;
}

export interface AuthenticationOptions extends CredentialChecks {
  /** Metadata that names the issuer; a 401 refers to it. */
  readonly resource?: ProtectedResource | undefined;
  /** Called for each invalid credential. Raises `QUOTA_EXCEEDED` when an address sends too many. */
  readonly onFailure?: RateLimiter['failedAuthentication'];
  /** Called for each request without a credential. Raises `QUOTA_EXCEEDED` when an address sends too many. */
  readonly onUnauthenticated?: RateLimiter['unauthenticated'];
  /**
   * Accepts requests without a credential as the local user: for a server on loopback without keys and `auth.jwt`.
   * A sent credential is checked even then.
   */
  readonly allowLocal?: boolean;
  readonly logger: Logger;
}

/** The credential in the headers of a request. */
type RequestCredential =
  | { readonly is: 'nothing' }
  | { readonly is: 'malformed' }
  | { readonly is: 'credential'; readonly text: string };
/** The result of checking a credential. `endsMs`: when it expires, in milliseconds since 1970. */
export type Verdict =
  | { readonly principal: Principal; readonly endsMs?: number }
  | { readonly refused: string }
  | { readonly unavailable: string };

const CHALLENGE = 'Bearer realm="toolwright"';
/** RFC 6750: the characters of a token. */
const BEARER = /^Bearer +([\w.~+/-]+=*)$/i;
const X_API_KEY = /^[\w.~+/-]+=*$/;

/**
 * Authenticates a request by `Authorization: Bearer` (an API key or a JSON Web Token) or `X-API-Key`, and sets `principal`.
 * Answers 401 with `WWW-Authenticate` for a missing or invalid credential, and 400 for two credentials. Answers 429 after
 * too many failures of an address, and 503 when the store or the issuer's keys cannot be reached.
 */
export function authentication(options: AuthenticationOptions): MiddlewareHandler<PrincipalEnv> {
  const { allowLocal = false, onFailure, onUnauthenticated, logger } = options;
  return async (context, next) => {
    const sent = readCredential(context);
    if (sent.is === 'malformed') return refuse(context, twoCredentials());
    if (sent.is === 'nothing') {
      if (allowLocal) {
        context.set('principal', LOCAL_PRINCIPAL);
        return next();
      }
      const limited = await Promise.resolve(onUnauthenticated?.(addressOf(context))).then(() => undefined, refusalOf);
      return refuse(context, limited ?? unauthorized(context, options));
    }
    let verdict: Verdict;
    try {
      verdict = await verifyCredential(sent.text, options);
      // Requests with valid credentials are never blocked by this limit: behind a proxy, all users share one address.
      if ('refused' in verdict) await onFailure?.(addressOf(context));
    } catch (error) {
      const refusal = refusalOf(error);
      // An attacker must not fill the log.
      if (refusal?.status !== 429) logger.error({ err: error }, 'a credential could not be checked');
      if (refusal) return refuse(context, refusal);
      throw error;
    }
    if ('principal' in verdict) {
      context.set('principal', verdict.principal);
      context.set('currentPrincipal', () => principalNow(sent.text, verdict.principal, options));
      return next();
    }
    if ('unavailable' in verdict) {
      logger.error({ reason: verdict.unavailable }, 'the keys of the token issuer cannot be fetched');
      return refuse(context, unavailable('AUTH_UNAVAILABLE', ISSUER_UNREACHABLE));
    }
    logger.info({ reason: verdict.refused }, 'a credential was refused');
    return refuse(context, unauthorized(context, options, verdict.refused));
  };
}

/** Returns the principal of a credential that was valid before. While the issuer of a token cannot be reached, it stays valid. */
async function principalNow(
  text: string,
  before: Principal,
  options: AuthenticationOptions,
): Promise<Principal | undefined> {
  const verdict = await verifyCredential(text, options);
  if ('principal' in verdict) return verdict.principal;
  return 'unavailable' in verdict ? before : undefined;
}

/**
 * Returns the principal in the form of `mcpEndpoint().fetch`: `extra.user` owns the sessions and skills of an MCP client,
 * and `extra.profile` is its profile.
 * It contains no token, so that no tool can leak one.
 */
export function authInfoOf({ user, credential, profile }: Principal): AuthInfo {
  const own = { profile };
  return { token: '', clientId: credential, scopes: [], extra: { user, ...own } };
}

function readCredential(context: Context): RequestCredential {
  const authorization = context.req.header('authorization');
  const apiKey = context.req.header('x-api-key');
  if (authorization !== undefined && apiKey !== undefined) return { is: 'malformed' };
  if (apiKey !== undefined) return { is: 'credential', text: X_API_KEY.test(apiKey) ? apiKey : '' };
  if (authorization === undefined) return { is: 'nothing' };
  return { is: 'credential', text: BEARER.exec(authorization)?.[1] ?? '' };
}

/** Checks an API key or a token. */
export async function verifyCredential(text: string, { keys, jwt }: CredentialChecks): Promise<Verdict> {
  if (text === '') return { refused: 'The header must be Authorization: Bearer KEY, or X-API-Key: KEY.' };
  if (text.startsWith(KEY_PREFIX) || jwt === undefined) {
    const check = await keys.check(text);
    if (check.is === 'valid') {
      const { id, user, scopes = [], profile, expiresAt } = check.key;
      const own = { profile };
      const principal = { user, credential: `key:${id}`, scopes: scopesIn(scopes), ...own };
      return { principal, endsMs: expiresAt === undefined ? undefined : Date.parse(expiresAt) };
    }
    return { refused: check.is === 'expired' ? 'The API key has expired.' : 'There is no such API key.' };
  }
  const check = await jwt(text);
  switch (check.is) {
    case 'valid':
      return {
        principal: tokenPrincipal(check),
        endsMs: check.expiresAt * 1_000,
      };
    case 'expired':
      return { refused: 'The token has expired.' };
    case 'invalid':
      return { refused: check.reason };
    case 'unavailable':
      return { unavailable: check.reason };
  }
}

function twoCredentials(): HttpProblem {
  return new HttpProblem(
    400,
    'UNAUTHENTICATED',
    'The request has two credentials. Send either Authorization or X-API-Key.',
    {
      headers: { 'www-authenticate': `${CHALLENGE}, error="invalid_request"` },
    },
  );
}

/**
 * Returns the problem of a missing credential, or of an invalid one with its `reason`. RFC 6750 allows no error in the
 * challenge when the credential is missing.
 */
function unauthorized({ req }: Context, { resource }: AuthenticationOptions, reason?: string): HttpProblem {
  const token = resource === undefined ? '' : `, or a token of ${resource.issuer}`;
  const detail =
    reason ?? `Send Authorization: Bearer and an API key (twk_…; "toolwright keys create" creates one)${token}.`;
  const challenge = [
    CHALLENGE,
    ...(resource === undefined ? [] : [`resource_metadata="${metadataUrl(resource, req.raw)}"`]),
    ...(reason === undefined
      ? []
      : ['error="invalid_token"', `error_description=${JSON.stringify(reason.replaceAll('"', "'"))}`]),
  ];
  return new HttpProblem(401, 'UNAUTHENTICATED', detail, { headers: { 'www-authenticate': challenge.join(', ') } });
}

const ISSUER_UNREACHABLE = 'The keys of the token issuer cannot be fetched. Try again later.';

/** Returns the problem of a credential that was not accepted. `refused` returns the one of a wrong credential. */
export async function refusedCredential(
  verdict: Exclude<Verdict, { readonly principal: Principal }>,
  refused: (reason: string) => Promise<HttpProblem>,
): Promise<HttpProblem> {
  if ('refused' in verdict) return refused(verdict.refused);
  return unavailable('AUTH_UNAVAILABLE', ISSUER_UNREACHABLE);
}

/** Returns the address of the client of a request. */
export function addressOf({ env }: Context): string | undefined {
  return (env as HttpEnv['Bindings'] | undefined)?.incoming?.socket.remoteAddress;
}
