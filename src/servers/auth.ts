import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Context, MiddlewareHandler } from 'hono';
import type { Logger } from '../log.ts';
import { KEY_PREFIX } from './auth/api-key-text.ts';
import type { ApiKeys } from './auth/api-keys.ts';
import type { JwtVerifier } from './auth/jwt.ts';
import { LOCAL_PRINCIPAL, type Principal } from './principal.ts';
import { RETRY_AFTER_SECONDS, refusalOf, refuse } from './refusal.ts';

/** What routes find in their context once a request is authenticated. */
export interface PrincipalEnv {
  Variables: { principal: Principal };
}

export interface AuthenticationOptions {
  readonly keys: Pick<ApiKeys, 'check'>;
  /** Checks what is no API key; without it only API keys are accepted. */
  readonly jwt?: JwtVerifier | undefined;
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
 * `principal`. Answers 401 with `WWW-Authenticate` where it cannot, 400 for two credentials, and 503 where nobody can
 * tell now: the store or the issuer's keys cannot be reached.
 */
export function authentication(options: AuthenticationOptions): MiddlewareHandler<PrincipalEnv> {
  const { allowLocal = false, logger } = options;
  return async (context, next) => {
    const shown = readCredential(context);
    if (shown.is === 'malformed') return badRequest();
    if (shown.is === 'nothing') {
      if (!allowLocal) return unauthorized();
      context.set('principal', LOCAL_PRINCIPAL);
      return next();
    }
    let verdict: Verdict;
    try {
      verdict = await judge(shown.text, options);
    } catch (error) {
      logger.error({ err: error }, 'a credential could not be checked');
      const refusal = refusalOf(error);
      if (refusal) return refusal;
      throw error;
    }
    if ('principal' in verdict) {
      context.set('principal', verdict.principal);
      return next();
    }
    if ('unavailable' in verdict) {
      logger.error({ reason: verdict.unavailable }, 'the keys of the token issuer cannot be had');
      return issuerUnavailable();
    }
    logger.info({ reason: verdict.refused }, 'a credential was refused');
    return unauthorized(verdict.refused);
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

function badRequest(): Response {
  return refuse({
    status: 400,
    title: 'Two credentials',
    detail: 'Send Authorization or X-API-Key, not both.',
    code: 'UNAUTHENTICATED',
    headers: { 'www-authenticate': `${CHALLENGE}, error="invalid_request"` },
  });
}

/** Without a reason nothing was shown: RFC 6750 then wants no error in the challenge. */
function unauthorized(reason?: string): Response {
  const detail = reason ?? 'Send an API key: Authorization: Bearer twk_… "toolwright keys create" makes one.';
  const error =
    reason === undefined
      ? ''
      : `, error="invalid_token", error_description=${JSON.stringify(reason.replaceAll('"', "'"))}`;
  return refuse({
    status: 401,
    title: 'Not authenticated',
    detail,
    code: 'UNAUTHENTICATED',
    headers: { 'www-authenticate': `${CHALLENGE}${error}` },
  });
}

function issuerUnavailable(): Response {
  return refuse({
    status: 503,
    title: 'Service unavailable',
    detail: 'The keys of the token issuer cannot be had now. Try again later.',
    code: 'AUTH_UNAVAILABLE',
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  });
}
