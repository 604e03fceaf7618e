import type { Connector } from './connectors/connector.ts';
import { type OAuthContext, serverKey } from './connectors/mcp/oauth/context.ts';
import type { CredentialPlace, Credentials } from './connectors/mcp/oauth/credentials.ts';
import {
  findLogin,
  finishLogin,
  LOGIN_LIFETIME_MS,
  type LoginState,
  loginState,
  logOut,
  startLogin,
  unknownLogin,
} from './connectors/mcp/oauth/logins.ts';
import { oauthConnector } from './connectors/mcp/oauth.ts';
import type { CredentialKeyPlace } from './credential-keys.ts';
import { messageOf, ToolwrightError } from './errors.ts';
import { createLoopback } from './login-callback.ts';
import { DEFAULT_USER } from './sessions/session.ts';

/** A link with which a user logs in to a server. */
export interface LoginLink {
  readonly server: string;
  /** The address to open in a browser. It is for this user only. */
  readonly url: string;
  /** Milliseconds since 1970 at which the link ends. */
  readonly expiresAtMs: number;
}

/** The logins of users to servers, see `docs/oauth.md`. */
export interface Logins {
  /**
   * Starts a login of a user, `local` by default. Without `redirectUrl`, this process listens on this machine for the end of
   * the login. Raises `UNKNOWN_SERVER`, `CONFIG_INVALID`, and `UPSTREAM_PROTOCOL` with the cause that prevents a login.
   */
  start(server: string, options?: { readonly userId?: string; readonly redirectUrl?: string }): Promise<LoginLink>;
  /**
   * Finishes a login with the parameters that the browser returned, once. With a `userId`, it must be the user who started the
   * login. Raises `INVALID_ARGUMENTS` for an unknown login, and `UPSTREAM_PROTOCOL`.
   */
  finish(params: URLSearchParams, options?: { readonly userId?: string }): Promise<LoginOwner>;
  /** Returns whose login a callback belongs to; undefined if it is unknown, finished or older than 10 minutes. */
  owner(params: URLSearchParams): Promise<LoginOwner | undefined>;
  /** Logs a user out, and revokes the tokens where the issuer can. Raises `UNKNOWN_SERVER`. */
  logOut(server: string, options?: { readonly userId?: string }): Promise<{ wasIn: boolean; isRevoked: boolean }>;
  /** Returns the state of a user's logins, of the servers that may have some. */
  list(options?: {
    readonly userId?: string;
  }): Promise<readonly { readonly server: string; readonly state: LoginState }[]>;
  /**
   * Sets the address to which browsers return after a login, in place of a listener of this process: the program that serves this
   * address calls {@link finish}.
   */
  useCallback(url: string): void;
  /** Returns where the key is that seals tokens. */
  keyPlace(): Promise<CredentialKeyPlace>;
  /** Calls `listener` when a user has logged in or out in this process. Returns a function that removes it. */
  onChange(listener: (change: LoginOwner & { readonly isLogin: boolean }) => void): () => void;
}

/** The user and the server of a login. */
export interface LoginOwner {
  readonly server: string;
  readonly userId: string;
}

/** The logins, and the part that opens connectors. */
export interface LoginsParts extends Disposable {
  readonly logins: Logins;
  /** Runs `decide` at the end of each login, before `finish` resolves. */
  decideBy(decide: (login: LoginOwner) => Promise<void>): void;
  /** Creates the connector of a server that may require logins. */
  connect(context: Omit<OAuthContext, 'credentials'>, log: (line: string) => void): Connector;
}

/** Creates the logins of a Toolwright. */
export function createLogins(credentials: Credentials, keyPlace: Logins['keyPlace']): LoginsParts {
  const contexts = new Map<string, OAuthContext>();
  const listeners = new Set<Parameters<Logins['onChange']>[0]>();
  const connectors = new Set<(owner: LoginOwner) => void>();
  let callbackUrl: string | undefined;
  const open = new Map<string, { readonly link: LoginLink; readonly scope: string | undefined }>();
  let decideQuestions: (login: LoginOwner) => Promise<void> = async () => undefined;
  const onChange: Logins['onChange'] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  /** Connectors come first, because a decided question makes its program call again. */
  const changed = async (owner: LoginOwner, isLogin: boolean) => {
    for (const forget of [...connectors]) forget(owner);
    if (isLogin) await decideQuestions(owner);
    for (const listener of [...listeners]) listener({ ...owner, isLogin });
  };

  function find(server: string): OAuthContext {
    const context = contexts.get(server);
    if (context) return context;
    const known = [...contexts.keys()].join(', ') || 'none';
    const message = `The server "${server.slice(0, 100)}" has no logins. Servers with logins: ${known}.`;
    throw new ToolwrightError('UNKNOWN_SERVER', message);
  }

  const loopback = createLoopback(credentials, (params) => finishedPage(logins.finish(params)));

  const owner: Logins['owner'] = async (params) => {
    const login = await findLogin(credentials, params.get('state') ?? '');
    return login && { server: login.server, userId: login.user };
  };

  const logins: Logins = {
    async start(server, { userId = DEFAULT_USER, redirectUrl } = {}) {
      const context = find(server);
      const place: CredentialPlace = { kind: 'challenge', server: serverKey(context), name: userId };
      const scope = (await credentials.read<{ scope?: string }>(place))?.scope;
      const key = JSON.stringify([server, userId, redirectUrl ?? callbackUrl]);
      const known = open.get(key);
      // One link per login: each call of a program may need it.
      const isUsable = known !== undefined && known.scope === scope && known.link.expiresAtMs - Date.now() > REUSE_MS;
      if (isUsable) return known.link;
      const expiresAtMs = Date.now() + LOGIN_LIFETIME_MS;
      const target = redirectUrl ?? callbackUrl ?? (await loopback.urlFor(context));
      const { link: url } = await startLogin(context, userId, target);
      const link = { server, url, expiresAtMs };
      open.set(key, { link, scope });
      return link;
    },
    owner,
    async finish(params, { userId } = {}) {
      const found = await owner(params);
      if (found === undefined || (userId !== undefined && userId !== found.userId)) throw unknownLogin();
      for (const [key, { link }] of open) if (link.server === found.server) open.delete(key);
      await finishLogin(find(found.server), params.get('state') ?? '', params);
      await changed(found, true);
      return found;
    },
    async logOut(server, { userId = DEFAULT_USER } = {}) {
      const outcome = await logOut(find(server), userId);
      await changed({ server, userId }, false);
      return outcome;
    },
    list: ({ userId = DEFAULT_USER } = {}) =>
      Promise.all(
        [...contexts].map(async ([server, context]) => ({ server, state: await loginState(context, userId) })),
      ),
    useCallback(url) {
      callbackUrl = url;
    },
    keyPlace,
    onChange,
  };
  return {
    logins,
    decideBy(decide) {
      decideQuestions = decide;
    },
    connect(context, log) {
      const whole = { ...context, credentials };
      contexts.set(context.server, whole);
      const onLogin = (listener: (user: string) => void) => {
        const forget = ({ server, userId }: LoginOwner) => {
          if (server === context.server) listener(userId);
        };
        connectors.add(forget);
        return () => connectors.delete(forget);
      };
      return oauthConnector(whole, { log, onLogin });
    },
    [Symbol.dispose]: () => loopback[Symbol.dispose](),
  };
}

async function finishedPage(finish: Promise<LoginOwner>): Promise<string> {
  try {
    const { server } = await finish;
    return `You are logged in to ${server}. You can close this page.`;
  } catch (error) {
    return messageOf(error);
  }
}

/** Milliseconds that a link must still live to be shown again. */
const REUSE_MS = 120_000;
