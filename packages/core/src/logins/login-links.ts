import type { CredentialPlace, Credentials } from '@toolwright/connectors/oauth';
import { LOGIN_LIFETIME_MS, type OAuthContext, serverKey } from '@toolwright/connectors/oauth';
import type { LoginLink, LoginOwner } from './login.ts';

/** The links of the open logins of a process. */
export interface LoginLinks {
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

/** Creates the links of a process. Several calls of a program share one link: each of them may need the login. */
export function createLoginLinks(credentials: Credentials): LoginLinks {
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
