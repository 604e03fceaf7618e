import * as z from 'zod';
import { setting } from './setting.ts';

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

const jwtSchema = z.strictObject({
  issuer: setting(z.string().min(1), { description: 'the `iss` of every token' }),
  audience: setting(z.string().min(1), { description: 'this server at the issuer: `aud` must name it' }),
  jwksUri: setting(z.string().refine(isTrustedUrl, 'expected an https:// URL (http:// on this machine only)'), {
    description: "the URL of the issuer's public keys; HTTPS, except on this machine",
  }),
  userClaim: setting(z.string().min(1).default('sub'), { description: 'the claim that names the user' }),
  algorithms: setting(z.array(z.enum(JWT_ALGORITHMS)).min(1).default(['RS256', 'PS256', 'ES256', 'EdDSA']), {
    description: 'accepted signature algorithms',
  }),
  clockToleranceSeconds: setting(z.int().min(0).max(MAX_CLOCK_TOLERANCE_SECONDS).default(30), {
    description: 'seconds by which the clocks of issuer and server may differ',
  }),
});

/**
 * `auth` of the configuration: the tokens that a server accepts in addition to API keys. An unknown key in it is an
 * error, because a misspelt key would open the server.
 */
export const authSchema = z.strictObject({ jwt: jwtSchema.optional() });

export type AuthSettings = z.output<typeof authSchema>;
/** The tokens that a server accepts, and how it reads them. Keys with a default are optional. */
export type JwtSettings = z.input<typeof jwtSchema>;

/** Returns {@link JwtSettings} with all defaults. */
export function jwtDefaults(settings: JwtSettings): z.output<typeof jwtSchema> {
  return jwtSchema.parse(settings);
}

/** Returns whether a URL of public keys is trusted: anybody can replace keys on an unencrypted connection. */
function isTrustedUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
}
