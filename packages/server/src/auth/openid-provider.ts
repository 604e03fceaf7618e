import { outgoingFetch } from '@toolwright/connectors/internal';
import { type JwtSettings, type OidcSettings, oidcDefaults } from '@toolwright/core/internal';
import type * as OpenId from 'openid-client';
import { type Principal, tokenPrincipal } from '../principal.ts';
import { readClaims } from './claims.ts';
import { providerProblem, refusedLogin } from './provider-problems.ts';

/** The values that bind the answer of the provider to the browser that started the login. */
export interface LoginChecks {
  readonly state: string;
  readonly nonce: string;
  /** RFC 7636: proves to the provider that the code belongs to this login. */
  readonly codeVerifier: string;
  readonly redirectUri: string;
}

/** An OpenID provider, whose users log in to the dashboard. Its methods raise a problem with the fix: 401, or 503 when it cannot be reached. */
export interface OpenIdProvider {
  /** For the button of the login. */
  readonly name: string;
  /** Returns the address of the login, and the values that {@link finish} needs. */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly checks: LoginChecks }>;
  /** Exchanges the code in the parameters of the callback, and returns the person. */
  finish(parameters: URLSearchParams, checks: LoginChecks): Promise<Principal>;
  /** Returns the address of the logout of the provider, if the configuration wants it and the provider has one. */
  endSessionUrl(returnTo: string): Promise<string | undefined>;
}

/** The settings of a provider. */
export interface OpenIdProviderOptions {
  readonly settings: OidcSettings;
  /** Reads the secret of the client. Default: it has none. */
  readonly readSecret?: (() => Promise<string>) | undefined;
  /** `auth.jwt`: its claims have the user and the scopes, unless `settings` names others. */
  readonly jwt?: JwtSettings | undefined;
}

/** Seconds for one request to the provider. */
const TIMEOUT_S = 5;
/** Milliseconds after which the metadata of the provider is fetched again. */
const METADATA_MAX_AGE_MS = 10 * 60_000;
const CLOCK_TOLERANCE_S = 30;

/** Creates the client of a provider: OpenID Connect with an authorization code, PKCE, state and nonce. Loads its library on first use. */
export function openIdProvider({ settings, readSecret, jwt }: OpenIdProviderOptions): OpenIdProvider {
  const { issuer, clientId, scopes, endSession, name, ...names } = oidcDefaults(settings, jwt);
  let known: { readonly config: Promise<OpenId.Configuration>; readonly untilMs: number } | undefined;

  async function discover(): Promise<OpenId.Configuration> {
    const client = await import('openid-client');
    const place = new URL(issuer);
    const checks = [
      client.enableNonRepudiationChecks,
      ...(place.protocol === 'http:' ? [client.allowInsecureRequests] : []),
    ];
    const metadata = { [client.clockTolerance]: CLOCK_TOLERANCE_S };
    const authentication = readSecret ? secretAuthentication(client, await readSecret()) : client.None();
    return client.discovery(place, clientId, metadata, authentication, {
      execute: checks,
      timeout: TIMEOUT_S,
      [client.customFetch]: outgoingFetch as OpenId.CustomFetch,
    });
  }

  async function configuration(): Promise<OpenId.Configuration> {
    if (known === undefined || known.untilMs < Date.now()) {
      known = { config: discover(), untilMs: Date.now() + METADATA_MAX_AGE_MS };
    }
    try {
      return await known.config;
    } catch (error) {
      known = undefined;
      throw providerProblem(error, 'metadata');
    }
  }

  return {
    name,
    async begin(redirectUri) {
      const [client, config] = [await import('openid-client'), await configuration()];
      const codeVerifier = client.randomPKCECodeVerifier();
      const checks = { state: client.randomState(), nonce: client.randomNonce(), codeVerifier, redirectUri };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
      return { url: webAddress(url), checks };
    },
    async finish(parameters, { state, nonce, codeVerifier, redirectUri }) {
      const [client, config] = [await import('openid-client'), await configuration()];
      const callback = new URL(redirectUri);
      callback.search = parameters.toString();
      const expected = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier };
      const claims = await client
        .authorizationCodeGrant(config, callback, { ...expected, idTokenExpected: true })
        .then((tokens) => tokens.claims() ?? {})
        .catch((error: unknown) => {
          throw providerProblem(error, 'login');
        });
      return personOf(claims, names);
    },
    async endSessionUrl(returnTo) {
      if (!endSession) return undefined;
      const [client, config] = [await import('openid-client'), await configuration()];
      if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
      return webAddress(client.buildEndSessionUrl(config, { post_logout_redirect_uri: returnTo }));
    },
  };
}

/** Sends the secret as the provider supports it, and as OpenID Connect does by default. */
function secretAuthentication(client: typeof OpenId, secret: string): OpenId.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...request) => {
    const { token_endpoint_auth_methods_supported: supported = ['client_secret_basic'] } = server;
    const isPost = supported.includes('client_secret_post') && !supported.includes('client_secret_basic');
    return (isPost ? post : basic)(server, ...request);
  };
}

function personOf(
  claims: Readonly<Record<string, unknown>>,
  names: { readonly userClaim: string; readonly scopeClaim: string },
): Principal {
  const read = readClaims(claims, names);
  if (!('problem' in read)) return tokenPrincipal(read);
  throw refusedLogin(`${read.problem} The operator of this server can check auth.oidc.userClaim and auth.oidc.scopes.`);
}

/** Returns the text of a URL. The page opens it, so it must not be a script. */
function webAddress({ protocol, href }: URL): string {
  if (/^https?:$/.test(protocol)) return href;
  throw refusedLogin('The metadata of the provider has an address that is not a web address. Check auth.oidc.issuer.');
}
