// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are references of the configuration
import * as z from 'zod';
import { setting } from '../setting.ts';

/** Allowed signature algorithms: asymmetric ones only, because a JWKS is public. */
const JWT_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const MAX_CLOCK_TOLERANCE_SECONDS = 600;
const MAX_NAME_CHARACTERS = 60;

/** The id of a user is the issuer, "#" and the identifier. */
const withoutHash = (text: string) => !text.includes('#');
const HASH = 'expected no "#"';
/** A place that sends keys or tokens: anybody can replace those on an unencrypted connection. */
const trustedUrl = z.string().refine(isTrustedUrl, 'expected an https:// URL (http:// on this machine only)');

const jwtSchema = z.strictObject({
  issuer: setting(z.string().min(1).refine(withoutHash, HASH), { description: 'the `iss` of every token' }),
  audience: setting(z.string().min(1), { description: 'this server at the issuer: `aud` must name it' }),
  jwksUri: setting(trustedUrl, {
    description: "URL of the issuer's public keys: HTTPS, except on this machine",
  }),
  userClaim: setting(z.string().min(1).default('sub'), {
    description: 'the claim with the [user](auth.md#users-of-an-issuer): `sub`, or `oid` of Entra ID',
  }),
  scopeClaim: setting(z.string().min(1).default('scope'), {
    description: 'the claim with the scopes: words in a text, or a list',
  }),
  algorithms: setting(z.array(z.enum(JWT_ALGORITHMS)).min(1).default(['RS256', 'PS256', 'ES256', 'EdDSA']), {
    description: 'accepted signature algorithms',
  }),
  clockToleranceSeconds: setting(z.int().min(0).max(MAX_CLOCK_TOLERANCE_SECONDS).default(30), {
    description: 'allowed difference of the clocks, in seconds',
  }),
});

const oidcSchema = z.strictObject({
  issuer: setting(trustedUrl.refine(withoutHash, HASH), {
    description:
      'the URL of the OpenID provider whose [login the dashboard offers](auth.md#log-in-with-an-openid-provider)',
  }),
  clientId: setting(z.string().min(1), { description: 'this server as a client of the provider' }),
  clientSecret: setting(z.string().min(1).optional(), {
    description:
      'secret of the client, as a [reference](servers.md#keep-secrets-out-of-the-file): `${OIDC_SECRET}`, `${file:/run/secrets/oidc}`',
    defaultText: 'none: the login has PKCE',
  }),
  name: setting(z.string().min(1).max(MAX_NAME_CHARACTERS).optional(), {
    description: 'name of the provider on the button "Log in with NAME"',
    defaultText: 'the host of `issuer`',
  }),
  scopes: setting(
    z
      .array(z.string().min(1))
      .refine((scopes) => scopes.includes('openid'), 'expected "openid" as one of the scopes')
      .default(['openid']),
    { description: 'scopes to request, for example `email` for the claim of this name' },
  ),
  userClaim: setting(z.string().min(1).optional(), {
    description: 'the claim of the ID token with the [user](auth.md#users-of-an-issuer)',
    defaultText: '`auth.jwt.userClaim`, else `sub`',
  }),
  scopeClaim: setting(z.string().min(1).optional(), {
    description: 'the claim of the ID token that has the scopes',
    defaultText: '`auth.jwt.scopeClaim`, else `scope`',
  }),
  endSession: setting(z.boolean().default(false), {
    description: 'whether **Log out** also logs out at the provider, which returns to `publicUrl`',
  }),
});

/**
 * `auth` of the configuration: the tokens and logins that a server accepts in addition to API keys. An unknown key in it is an
 * error, because a misspelt key would open the server.
 */
export const authSchema = z.strictObject({ jwt: jwtSchema.optional(), oidc: oidcSchema.optional() });

export type AuthSettings = z.output<typeof authSchema>;
/** The tokens that a server accepts, and how it reads them. Keys with a default are optional. */
export type JwtSettings = z.input<typeof jwtSchema>;

/** The OpenID provider of the dashboard. Keys with a default are optional. */
export type OidcSettings = z.input<typeof oidcSchema>;

/** Returns {@link JwtSettings} with all defaults. */
export function jwtDefaults(settings: JwtSettings): z.output<typeof jwtSchema> {
  return jwtSchema.parse(settings);
}

/** {@link OidcSettings} with all defaults. */
export interface OidcDefaults extends z.output<typeof oidcSchema> {
  readonly name: string;
  readonly userClaim: string;
  readonly scopeClaim: string;
}

/** Returns {@link OidcSettings} with all defaults. Its claims are those of `auth.jwt`, unless it names others. */
export function oidcDefaults(settings: OidcSettings, jwt: JwtSettings | undefined): OidcDefaults {
  const filled = oidcSchema.parse(settings);
  const { userClaim = jwt?.userClaim ?? 'sub', scopeClaim = jwt?.scopeClaim ?? 'scope' } = filled;
  return { ...filled, userClaim, scopeClaim, name: filled.name ?? new URL(filled.issuer).host };
}

/** Returns whether nobody between can change the answers of a URL. */
function isTrustedUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
}
