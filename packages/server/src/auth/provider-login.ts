import type { Store } from '@toolwright/core';
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import * as z from 'zod';
import { basePathOf } from '../dashboard/page.ts';
import type { HttpEnv } from '../http/api.ts';
import type { Principal } from '../principal.ts';
import { isSecret, newSecret, secretSpace } from './browser-secret.ts';
import type { LoginChecks, OpenIdProvider } from './openid-provider.ts';
import { refusedLogin } from './provider-problems.ts';

/** The login of browsers at an OpenID provider. */
export interface ProviderLogin {
  /** For the button of the login. */
  readonly name: string;
  /** Returns the address of the login at the provider, and sets a cookie for its end. `path` is where the login leads, below the base. */
  begin(context: Context<HttpEnv>, path: string): Promise<string>;
  /** Ends the login that a callback belongs to. Returns the person, and the path where the login leads. Raises a problem 401 or 503. */
  finish(context: Context<HttpEnv>): Promise<{ readonly principal: Principal; readonly path: string }>;
  /** Returns the address of the logout at the provider, if it is wanted. */
  endSessionUrl(context: Context<HttpEnv>): Promise<string | undefined>;
}

export interface ProviderLoginOptions {
  readonly provider: OpenIdProvider;
  /** Keeps the started logins, so that any process ends them. */
  readonly store: Store;
  readonly publicUrl: string | undefined;
}

export const CALLBACK_PATH = 'dashboard/login/callback';
/** Milliseconds until a started login must end. */
const LOGIN_MS = 10 * 60_000;
/** The provider leads the browser back from another site, so the cookie is not `Strict` as that of a session is. */
const COOKIE = 'toolwright-login';
const COOKIE_OPTIONS = { prefix: 'host', secure: true, httpOnly: true, sameSite: 'Lax', path: '/' } as const;
const ENTRY = 'login';
/** Parameters of a callback (RFC 6749, section 4.1.2; RFC 9207). */
const PARAMETERS = ['state', 'code', 'iss', 'error', 'error_description'];
const MAX_CHARACTERS = 8_192;
const UNKNOWN =
  'This login was not started in this browser, has ended already, or is older than 10 minutes. Log in again.';

const startedSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  redirectUri: z.string(),
  path: z.string(),
});

/** Creates the login at a provider. Its state is in the store, and the browser has only a secret that finds it, once. */
export function createProviderLogin({ provider, store, publicUrl }: ProviderLoginOptions): ProviderLogin {
  const publicBase = publicUrl === undefined ? undefined : new URL(publicUrl);
  /** Returns the address of the dashboard as this browser has it, with a slash at its end. */
  const baseOf = ({ req }: Context<HttpEnv>) => {
    const path = basePathOf(req.header('x-forwarded-prefix'), publicBase?.pathname);
    return new URL(path, publicBase?.origin ?? req.header('origin') ?? req.url);
  };

  /** Returns the started login of a cookie, and ends it: a second callback finds none. A wrong state ends nothing. */
  async function take(
    secret = '',
    state: string | null,
  ): Promise<(LoginChecks & { readonly path: string }) | undefined> {
    const space = secretSpace('provider-login', secret);
    const [found] = isSecret(secret) ? await store.get(space, [ENTRY]) : [];
    const started = found && startedSchema.safeParse(jsonIn(found)).data;
    if (!found || started?.state !== state) return undefined;
    // Of two callbacks at once, one replaces the entry.
    const [isFirst] = await store.put(space, [{ key: ENTRY, value: 'ended', was: found }]);
    return isFirst ? started : undefined;
  }

  return {
    name: provider.name,
    async begin(context, path) {
      const base = baseOf(context);
      const { url, checks } = await provider.begin(new URL(CALLBACK_PATH, base).href);
      const secret = newSecret();
      const value = JSON.stringify({ ...checks, path: `${base.pathname}${path.slice(1)}` });
      await store.put(secretSpace('provider-login', secret), [{ key: ENTRY, value }], { maxMs: LOGIN_MS });
      setCookie(context, COOKIE, secret, { ...COOKIE_OPTIONS, maxAge: LOGIN_MS / 1_000 });
      return url;
    },
    async finish(context) {
      const parameters = knownParameters(context);
      // Only the provider that this browser was sent to knows the state: texts of others are not shown.
      const started = await take(getCookie(context, COOKIE, 'host'), parameters.get('state'));
      if (started === undefined) throw refusedLogin(UNKNOWN);
      deleteCookie(context, COOKIE, COOKIE_OPTIONS);
      return { principal: await provider.finish(parameters, started), path: started.path };
    },
    endSessionUrl: (context) => provider.endSessionUrl(baseOf(context).href),
  };
}

function knownParameters({ req }: Context<HttpEnv>): URLSearchParams {
  const known = PARAMETERS.flatMap((name): [string, string][] => {
    const values = req.queries(name) ?? [];
    return values.filter((value) => value.length <= MAX_CHARACTERS).map((value) => [name, value]);
  });
  return new URLSearchParams(known);
}

/** Returns undefined for a text that is no JSON, such as that of an ended login. */
function jsonIn(value: Buffer): unknown {
  try {
    return JSON.parse(value.toString());
  } catch {
    return undefined;
  }
}
