import type { Connector } from '@toolwright/connectors';
import { lazyConnector, type ServerLogs } from '@toolwright/connectors/internal';
import {
  type CredentialPlace,
  type Credentials,
  LOGIN_LIFETIME_MS,
  type OAuthContext,
  serverKey,
} from '@toolwright/connectors/oauth';
import { messageOf, ToolwrightError } from '../errors.ts';
import { DEFAULT_USER } from '../owner-name.ts';
import type { LoginChange, LoginLink, LoginOwner, Logins } from './login.ts';
import { createLoopback } from './login-callback.ts';

/** The logins, and the part that opens connectors. */
export interface LoginsParts extends Disposable {
  readonly logins: Logins;
  /** Runs `decide` at the end of each login, before `finish` resolves. */
  decideBy(decide: (login: LoginOwner) => Promise<void>): void;
  /** Creates the connector of a server that may require logins. */
  connect: LoginServers['connect'];
}

/** The flows, which load when somebody logs in. */
const flows = () => import('@toolwright/connectors/logins');

/** The links of the open logins of a process. */
interface LoginLinks {
  /** Returns the link of a user, and starts a login if there is none that can be used. */
  get(context: OAuthContext, userId: string, redirectUrl: () => Promise<string>): Promise<LoginLink>;
  /** Forgets the links of a finished login. */
  forget(owner: LoginOwner): void;
}

/** Milliseconds that a link must still live to be shown again. */
const REUSE_MS = 120_000;

interface OpenLink extends LoginOwner {
  readonly link: Promise<LoginLink>;
  readonly scope: string | undefined;
  readonly untilMs: number;
}

/** The servers that may require logins. */
interface LoginServers {
  /** Creates the connector of a server, in place of one with the same name. */
  connect(context: Omit<OAuthContext, 'credentials'>, logs: ServerLogs): Connector;
  all(): readonly OAuthContext[];
  /** Returns a server by its name. Raises `UNKNOWN_SERVER`. */
  find(server: string): OAuthContext;
  /** Makes the connector of a server forget the account of a user. */
  changed(owner: LoginOwner): void;
}

/** Creates the logins of a Toolwright. */
export function createLogins(credentials: Credentials, keyPlace: Logins['keyPlace']): LoginsParts {
  const servers = createLoginServers(credentials);
  const listeners = new Set<(change: LoginChange) => void>();
  const links = createLoginLinks(credentials);
  let callbackUrl: string | undefined;
  let decideQuestions: (login: LoginOwner) => Promise<void> = async () => undefined;

  async function changed(change: LoginChange): Promise<void> {
    links.forget(change);
    // Connectors come first, because a decided question makes its program call again.
    if (change.event !== 'failure') servers.changed(change);
    if (change.event === 'login') await decideQuestions(change);
    for (const listener of [...listeners]) listener(change);
  }

  async function owner(params: URLSearchParams): Promise<LoginOwner | undefined> {
    const { findLogin } = await flows();
    const login = await findLogin(credentials, params.get('state') ?? '');
    return login && { server: login.server, userId: login.user };
  }

  async function finish(params: URLSearchParams, { userId }: { readonly userId?: string } = {}): Promise<LoginOwner> {
    const { finishLogin, unknownLogin } = await flows();
    const found = await owner(params);
    if (found === undefined || (userId !== undefined && userId !== found.userId)) throw unknownLogin();
    try {
      await finishLogin(servers.find(found.server), params.get('state') ?? '', params);
    } catch (error) {
      await changed({ ...found, event: 'failure', error });
      throw error;
    }
    await changed({ ...found, event: 'login' });
    return found;
  }

  const loopback = createLoopback(credentials, (params) => finishedPage(finish(params)));
  return {
    logins: {
      async start(server, { userId = DEFAULT_USER, redirectUrl } = {}) {
        const context = servers.find(server);
        return links.get(context, userId, async () => redirectUrl ?? callbackUrl ?? loopback.urlFor(context));
      },
      owner,
      finish,
      async logOut(server, { userId = DEFAULT_USER } = {}) {
        const { logOut } = await flows();
        const outcome = await logOut(servers.find(server), userId);
        await changed({ server, userId, event: 'logout' });
        return outcome;
      },
      async list({ userId = DEFAULT_USER } = {}) {
        const { loginState } = await flows();
        const all = servers.all().map(async (context) => ({
          server: context.server,
          state: await loginState(context, userId),
        }));
        return Promise.all(all);
      },
      useCallback(url) {
        callbackUrl = url;
      },
      keyPlace,
      onChange(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    decideBy(decide) {
      decideQuestions = decide;
    },
    connect: servers.connect,
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

/** Creates the links of a process. Several calls of a program share one link: each of them may need the login. */
function createLoginLinks(credentials: Credentials): LoginLinks {
  let open: readonly OpenLink[] = [];
  return {
    async get(context, userId, redirectUrl) {
      const { server } = context;
      const place: CredentialPlace = { kind: 'challenge', server: serverKey(context), name: userId };
      const scope = (await credentials.read<{ scope?: string }>(place))?.scope;
      open = open.filter(({ untilMs }) => untilMs - Date.now() > REUSE_MS);
      const known = open.find((each) => each.server === server && each.userId === userId && each.scope === scope);
      if (known) return known.link;
      const expiresAtMs = Date.now() + LOGIN_LIFETIME_MS;
      const link = redirectUrl()
        .then(async (url) => (await import('@toolwright/connectors/logins')).startLogin(context, userId, url))
        .then(({ link: url }) => ({ server, url, expiresAtMs }));
      const own: OpenLink = { server, userId, scope, link, untilMs: expiresAtMs };
      open = [...open, own];
      link.catch(() => {
        open = open.filter((each) => each !== own);
      });
      return link;
    },
    forget(owner) {
      open = open.filter(({ server, userId }) => server !== owner.server || userId !== owner.userId);
    },
  };
}

/** Creates the servers of a Toolwright that may require logins. */
function createLoginServers(credentials: Credentials): LoginServers {
  const contexts = new Map<string, OAuthContext>();
  const listeners = new Set<(owner: LoginOwner) => void>();
  return {
    connect(given, logs) {
      const context = { ...given, credentials };
      contexts.set(context.server, context);
      const onLogin = (listener: (userId: string) => void) => {
        const forget = ({ server, userId }: LoginOwner) => {
          if (server === context.server) listener(userId);
        };
        listeners.add(forget);
        return () => listeners.delete(forget);
      };
      const facts = { name: context.server, description: context.config.description };
      return lazyConnector(facts, async () => {
        const { oauthConnector } = await import('@toolwright/connectors/logins');
        return oauthConnector(context, { ...logs, onLogin });
      });
    },
    all: () => [...contexts.values()],
    find(server) {
      const context = contexts.get(server);
      if (context) return context;
      const known = [...contexts.keys()].join(', ') || 'none';
      const message = `The server "${server.slice(0, 100)}" has no logins. Servers with logins: ${known}.`;
      throw new ToolwrightError('UNKNOWN_SERVER', message);
    },
    changed(owner) {
      for (const forget of [...listeners]) forget(owner);
    },
  };
}
