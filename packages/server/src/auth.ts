import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Logger } from '@toolwright/core';
import type { Context, MiddlewareHandler } from 'hono';
import { KEY_PREFIX } from './auth/api-key-text.ts';
import type { ApiKeys } from './auth/api-keys.ts';
import type { JwtVerifier } from './auth/jwt.ts';
import { metadataUrl, type ProtectedResource } from './auth/protected-resource.ts';
import type { HttpEnv } from './http/api.ts';
import { HttpProblem } from './http/problem.ts';
import { LOCAL_PRINCIPAL, type Principal, type PrincipalEnv } from './principal.ts';
import type { RateLimiter } from './rate-limit.ts';
import { refusalOf, refuse, unavailable } from './refusal.ts';

export interface AuthenticationOptions {
  readonly keys: Pick<ApiKeys, 'check'>;
  /** Checks what is no API key; without it only API keys are accepted. */
  readonly jwt?: JwtVerifier | undefined;
  /** Where clients learn of the issuer, which a 401 then names. */
  readonly resource?: ProtectedResource | undefined;
  /** Told of each credential that does not count; raises `QUOTA_EXCEEDED` when an address shows too many. */
  readonly onFailure?: RateLimiter['failedAuthentication'];
  /**
   * Lets a request without any credential in as the local user: for a server that listens on the loopback only and has
   * neither keys nor `auth.jwt`. A credential that is shown is checked even then.
   */
  readonly allowLocal?: boolean;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

/** What a request shows of itself. */
type Shown =
  | { readonly is: 'nothing' }
  | { readonly is: 'malformed' }
  | { readonly is: 'credential'; readonly text: string };
type Verdict = { readonly principal: Principal } | { readonly refused: string } | { readonly unavailable: string };

const CHALLENGE = 'Bearer realm="toolwright"';
/** RFC 6750: what a token may be made of. */
const BEARER = /^Bearer +([\w.~+/-]+=*)$/i;
const X_API_KEY = /^[\w.~+/-]+=*$/;

/**
 * Says who is behind a request, by `Authorization: Bearer` (an API key, or a JSON Web Token) or `X-API-Key`, and sets
 * `principal`. Answers 401 with `WWW-Authenticate` where it cannot, 429 where an address shows too much that does not
 * count, 400 for two credentials, and 503 where nobody can tell now: the store or the issuer's keys cannot be reached.
 */
export function authentication(options: AuthenticationOptions): MiddlewareHandler<PrincipalEnv> {
  const { allowLocal = false, onFailure, logger } = options;
  return async (context, next) => {
    const shown = readCredential(context);
    if (shown.is === 'malformed') return refuse(context, twoCredentials());
    if (shown.is === 'nothing') {
      if (!allowLocal) return refuse(context, unauthorized(context, options));
      context.set('principal', LOCAL_PRINCIPAL);
      return next();
    }
    let verdict: Verdict;
    try {
      verdict = await judge(shown.text, options);
      // What is right is let in, whatever others show at its address, which may be that of a proxy.
      if ('refused' in verdict) await onFailure?.(addressOf(context));
    } catch (error) {
      const refusal = refusalOf(error);
      // Whoever shows too many is not to fill the log with it.
      if (refusal?.status !== 429) logger.error({ err: error }, 'a credential could not be checked');
      if (refusal) return refuse(context, refusal);
      throw error;
    }
    if ('principal' in verdict) {
      context.set('principal', verdict.principal);
      return next();
    }
    if ('unavailable' in verdict) {
      logger.error({ reason: verdict.unavailable }, 'the keys of the token issuer cannot be had');
      return refuse(context, unavailable('AUTH_UNAVAILABLE', ISSUER_AWAY));
    }
    logger.info({ reason: verdict.refused }, 'a credential was refused');
    return refuse(context, unauthorized(context, options, verdict.refused));
  };
}

/**
 * Who is authenticated, in the form that `mcpEndpoint().fetch` takes: `extra.user` is whose sessions and skills an MCP
 * client sees. It holds no credential, so that none can leave through a tool.
 */
export function authInfoOf({ user, credential }: Principal): AuthInfo {
  return { token: '', clientId: credential, scopes: [], extra: { user } };
}

function readCredential(context: Context): Shown {
  const authorization = context.req.header('authorization');
  const apiKey = context.req.header('x-api-key');
  if (authorization !== undefined && apiKey !== undefined) return { is: 'malformed' };
  if (apiKey !== undefined) return { is: 'credential', text: X_API_KEY.test(apiKey) ? apiKey : '' };
  if (authorization === undefined) return { is: 'nothing' };
  return { is: 'credential', text: BEARER.exec(authorization)?.[1] ?? '' };
}

async function judge(text: string, { keys, jwt }: AuthenticationOptions): Promise<Verdict> {
  if (text === '') return { refused: 'The header must be Authorization: Bearer KEY, or X-API-Key: KEY.' };
  if (text.startsWith(KEY_PREFIX) || jwt === undefined) {
    const check = await keys.check(text);
    if (check.is === 'valid') return { principal: { user: check.key.user, credential: `key:${check.key.id}` } };
    return { refused: check.is === 'expired' ? 'The API key has expired.' : 'There is no such API key.' };
  }
  const check = await jwt(text);
  switch (check.is) {
    case 'valid':
      return { principal: { user: check.user, credential: `jwt:${check.subject}` } };
    case 'expired':
      return { refused: 'The token has expired.' };
    case 'invalid':
      return { refused: check.reason };
    case 'unavailable':
      return { unavailable: check.reason };
  }
}

function twoCredentials(): HttpProblem {
  return new HttpProblem(400, 'UNAUTHENTICATED', 'Send Authorization or X-API-Key, not both.', {
    headers: { 'www-authenticate': `${CHALLENGE}, error="invalid_request"` },
  });
}

/** Without a reason nothing was shown: RFC 6750 then wants no error in the challenge. */
function unauthorized({ req }: Context, { resource }: AuthenticationOptions, reason?: string): HttpProblem {
  const token = resource === undefined ? '' : `, or a token of ${resource.issuer}`;
  const detail =
    reason ?? `Send Authorization: Bearer and an API key (twk_…; "toolwright keys create" makes one)${token}.`;
  const challenge = [
    CHALLENGE,
    ...(resource === undefined ? [] : [`resource_metadata="${metadataUrl(resource, req.raw)}"`]),
    ...(reason === undefined
      ? []
      : ['error="invalid_token"', `error_description=${JSON.stringify(reason.replaceAll('"', "'"))}`]),
  ];
  return new HttpProblem(401, 'UNAUTHENTICATED', detail, { headers: { 'www-authenticate': challenge.join(', ') } });
}

const ISSUER_AWAY = 'The keys of the token issuer cannot be had now. Try again later.';

function addressOf({ env }: Context): string | undefined {
  return (env as HttpEnv['Bindings'] | undefined)?.incoming?.socket.remoteAddress;
}
