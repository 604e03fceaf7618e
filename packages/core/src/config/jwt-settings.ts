/** Signatures that a token may have: asymmetric ones only, since a JWKS is public. */
export const JWT_ALGORITHMS = [
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
export type JwtAlgorithm = (typeof JWT_ALGORITHMS)[number];

/** Whose tokens are accepted, and how they are read: `auth.jwt` of the configuration. */
export interface JwtSettings {
  /** The `iss` of every token. */
  readonly issuer: string;
  /** What `aud` must name: this server, at the issuer. */
  readonly audience: string;
  /** Where the issuer's public keys are; HTTPS, except on this machine. */
  readonly jwksUri: string;
  /** The claim that names the user; default `sub`. */
  readonly userClaim?: string | undefined;
  /** Default: `RS256`, `PS256`, `ES256` and `EdDSA`. */
  readonly algorithms?: readonly JwtAlgorithm[] | undefined;
  /** Seconds by which clocks may differ; default 30. */
  readonly clockToleranceSeconds?: number | undefined;
}

/** What is accepted when nothing is chosen. */
export const DEFAULT_JWT_ALGORITHMS: readonly JwtAlgorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA'];
export const DEFAULT_CLOCK_TOLERANCE_SECONDS = 30;
