import type { Credentials } from '@toolwright/connectors/oauth';
import { messageOf } from '../errors.ts';
import { DEFAULT_USER } from '../owner-name.ts';
import type { LoginChange, LoginOwner, Logins } from './login.ts';
import { createLoopback } from './login-callback.ts';
import { createLoginLinks } from './login-links.ts';
import { createLoginServers, type LoginServers } from './login-servers.ts';

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
