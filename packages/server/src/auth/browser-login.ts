import type { Logger, Store } from '@toolwright/core';
import type { Context, MiddlewareHandler } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { type AuthenticationOptions, addressOf, refusedCredential, type Verdict, verifyCredential } from '../auth.ts';
import type { HttpEnv } from '../http/api.ts';
import { HttpProblem } from '../http/requests/problem.ts';
import { type BrowserSession, LOCAL_PRINCIPAL, type Principal, type SessionOrigin } from '../principal.ts';
import type { ApiKeys } from './api-keys.ts';
import { browserSessions, linkPrincipal } from './browser-sessions.ts';
import type { OpenIdProvider } from './openid-provider.ts';
import { createProviderLogin, type ProviderLogin } from './provider-login.ts';

export interface BrowserLoginOptions {
  /** Keeps the sessions. */
  readonly store: Store;
  /** Without keys, only links start sessions. */
  readonly keys?: ApiKeys | undefined;
  readonly jwt?: AuthenticationOptions['jwt'];
  /** The provider whose login the page offers. Default: none. */
  readonly provider?: OpenIdProvider | undefined;
  readonly onFailure?: AuthenticationOptions['onFailure'];
  /** The address under which browsers reach the server, if a proxy changes the `Host` header. */
  readonly publicUrl?: string | undefined;
  readonly logger: Logger;
}

/** The login of browsers with a cookie. */
export interface BrowserLogin {
  /** Authenticates a request by its cookie, and all others by the given middleware. */
  authenticate(otherwise: MiddlewareHandler<HttpEnv>): MiddlewareHandler<HttpEnv>;
  /** Starts a session and sets its cookie. Raises a problem 401 for a wrong credential or link. */
  start(
    context: Context<HttpEnv>,
    sent: { readonly key: string } | { readonly token: string },
  ): Promise<BrowserSession>;
  /** Ends the session of the cookie. Returns the address of the logout at the provider, if the session began there and it is wanted. */
  end(context: Context<HttpEnv>): Promise<string | undefined>;
  /** The login at an OpenID provider, if there is one. */
  readonly provider?: {
    /** For the button of the login. */
    readonly name: string;
    /** Starts a login that leads to a path of the page, and returns the address at the provider. Raises a problem 403 or 503. */
    begin(context: Context<HttpEnv>, path: string): Promise<string>;
    /** Starts the session of a callback, and returns the path where it leads. Raises a problem 401 or 503. */
    finish(context: Context<HttpEnv>): Promise<string>;
  };
  /** Returns the session of the cookie. */
  find(context: Context<HttpEnv>): Promise<BrowserSession | undefined>;
  /** Creates the secret of a link for the local user. */
  createLink(): Promise<string>;
}

/** Browsers send a cookie with this prefix to this host only, and over HTTPS or to `localhost` only. */
const COOKIE = 'toolwright';
/** A page of another origin cannot send it without a permission that the server does not give. */
export const DASHBOARD_HEADER = 'x-toolwright-dashboard';
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** Media types of bodies that no page of another origin can send without a permission. */
const BODIES: ReadonlySet<string> = new Set(['application/json', 'application/octet-stream']);

/** Creates the login of browsers. */
export function createBrowserLogin(options: BrowserLoginOptions): BrowserLogin {
  const { store, keys, provider, onFailure, publicUrl, logger } = options;
  const sessions = browserSessions(store, keys);
  const origin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  const atProvider = provider && createProviderLogin({ provider, store, publicUrl });
  const secretOf = (context: Context<HttpEnv>) => getCookie(context, COOKIE, 'host');

  const find = async (context: Context<HttpEnv>) => {
    const secret = secretOf(context);
    const site = context.req.header('sec-fetch-site');
    // Cookies are the same for all ports of a host: another port is another site.
    const isOwnPage = site === undefined || site === 'same-origin' || site === 'none';
    return secret === undefined || !isOwnPage ? undefined : sessions.find(secret);
  };
  const refused = async (context: Context<HttpEnv>, reason: string) => {
    await onFailure?.(addressOf(context));
    logger.info({ reason }, 'a login of a browser was refused');
    return new HttpProblem(401, 'UNAUTHENTICATED', reason);
  };
  const failed = async (context: Context<HttpEnv>, error: unknown): Promise<never> => {
    if (!(error instanceof HttpProblem)) throw error;
    if (error.status === 401) throw await refused(context, error.message);
    logger.info({ reason: error.cause }, 'the OpenID provider does not answer');
    throw error;
  };

  return {
    authenticate: (otherwise) => async (context, next) => {
      const { req } = context;
      const hasHeader = req.header('authorization') !== undefined || req.header('x-api-key') !== undefined;
      // A model acts over MCP: it has no rights of a person.
      const session = hasHeader || req.path === '/mcp' ? undefined : await find(context);
      if (session === undefined) return otherwise(context, next);
      if (!SAFE.has(req.method)) checkWrite(context, origin);
      context.set('principal', session.principal);
      context.set('browserSession', session);
      context.set('currentPrincipal', async () => (await find(context))?.principal);
      return next();
    },
    async start(context, sent) {
      checkWrite(context, origin);
      if ('token' in sent) {
        if (!(await sessions.useLink(sent.token))) throw await refused(context, LINK_USED);
        return open(context, linkPrincipal(LOCAL_PRINCIPAL), 'link');
      }
      const verdict = await verdictOf(sent.key, options);
      if (!('principal' in verdict)) throw await refusedCredential(verdict, (reason) => refused(context, reason));
      const by = verdict.principal.credential.startsWith('jwt:') ? 'token' : 'key';
      return open(context, verdict.principal, by, verdict.endsMs);
    },
    async end(context) {
      checkWrite(context, origin);
      const secret = secretOf(context);
      const session = secret === undefined ? undefined : await sessions.find(secret);
      if (secret !== undefined) await sessions.end(secret);
      deleteCookie(context, COOKIE, { prefix: 'host', secure: true, path: '/' });
      // The session here has ended, also when the provider does not answer.
      return session?.by === 'provider' ? atProvider?.endSessionUrl(context).catch(() => undefined) : undefined;
    },
    ...(atProvider && { provider: atProviderOf(atProvider, { origin, failed, open }) }),
    find,
    createLink: sessions.createLink,
  };

  async function open(
    context: Context<HttpEnv>,
    principal: Principal,
    by: SessionOrigin,
    endsMs?: number,
  ): Promise<BrowserSession> {
    const { secret, session } = await sessions.start(principal, by, endsMs);
    const maxAge = Math.max(1, Math.floor((Date.parse(session.expiresAt) - Date.now()) / 1_000));
    setCookie(context, COOKIE, secret, {
      ...({ prefix: 'host', secure: true, httpOnly: true, sameSite: 'Strict', path: '/', maxAge } as const),
    });
    logger.info({ user: session.principal.user, by: session.principal.credential }, 'a browser session was started');
    return session;
  }
}

async function verdictOf(key: string, { keys, jwt }: BrowserLoginOptions): Promise<Verdict> {
  if (keys) return verifyCredential(key, { keys, jwt });
  return { refused: 'This server has no keys. Run "toolwright dashboard".' };
}

interface ProviderParts {
  readonly origin: string | undefined;
  /** Counts a refused login, and raises the problem. */
  readonly failed: (context: Context<HttpEnv>, error: unknown) => Promise<never>;
  /** Starts a session, and sets its cookie. */
  readonly open: (context: Context<HttpEnv>, principal: Principal, by: SessionOrigin) => Promise<unknown>;
}

function atProviderOf(
  login: ProviderLogin,
  { origin, failed, open }: ProviderParts,
): NonNullable<BrowserLogin['provider']> {
  return {
    name: login.name,
    async begin(context, path) {
      checkWrite(context, origin);
      return await login.begin(context, path).catch((error: unknown) => failed(context, error));
    },
    async finish(context) {
      const { principal, path } = await login.finish(context).catch((error) => failed(context, error));
      await open(context, principal, 'provider');
      return path;
    },
  };
}

const LINK_USED =
  'This link was used already, or is older than 5 minutes. Run "toolwright dashboard" again for a new one.';

/** Refuses a write that a page of another origin may have sent. Raises a problem 403, or 415 for a body of a form. */
function checkWrite({ req }: Context<HttpEnv>, publicOrigin: string | undefined): void {
  const sent = req.header('origin');
  const site = req.header('sec-fetch-site');
  const isOwn = sent !== undefined && (sent === publicOrigin || hostOf(sent) === req.header('host'));
  if (!isOwn || (site !== undefined && site !== 'same-origin')) {
    const detail =
      'A request with the cookie of the dashboard must come from a page of this server. Use an API key instead.';
    throw new HttpProblem(403, 'FORBIDDEN', detail);
  }
  if (req.header(DASHBOARD_HEADER) === undefined) {
    const detail = `A request with the cookie of the dashboard needs the header "${DASHBOARD_HEADER}: 1".`;
    throw new HttpProblem(403, 'FORBIDDEN', detail);
  }
  const type = req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type === undefined || BODIES.has(type)) return;
  const detail = `The content type is ${type.slice(0, 60)}. Send application/json, or a file as application/octet-stream.`;
  throw new HttpProblem(415, 'UNSUPPORTED_MEDIA_TYPE', detail);
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
