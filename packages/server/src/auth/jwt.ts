import { outgoingFetch } from '@toolwright/connectors/internal';
import { type JwtSettings, jwtDefaults } from '@toolwright/core/internal';
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose';
import { type ReadClaims, readClaims } from './claims.ts';

/** The result of a check. `unavailable`: the keys of the issuer cannot be fetched. */
export type JwtCheck =
  | {
      readonly is: 'valid';
      readonly user: string;
      readonly name?: string;
      readonly expiresAt: number;
      /** The words of the claim with the scopes: by default `scope` (RFC 9068). */
      readonly scopes: readonly string[];
    }
  | { readonly is: 'expired' }
  | { readonly is: 'invalid'; readonly reason: string }
  | { readonly is: 'unavailable'; readonly reason: string };

/** Checks a token of the issuer. Never rejects. */
export type JwtVerifier = (token: string) => Promise<JwtCheck>;

/** The least milliseconds between two fetches of the keys because of unknown key ids. */
const KEY_COOLDOWN_MS = 30_000;
/** Milliseconds after which keys are fetched again. */
const KEYS_MAX_AGE_MS = 10 * 60_000;
const FETCH_TIMEOUT_MS = 5_000;

/**
 * Creates a verifier that checks tokens with the keys at `jwksUri`. It fetches the keys for the first token and
 * after ten minutes. It also fetches them for a token with an unknown key id, at most once in `cooldownMs` (default: 30 s).
 */
export function jwtVerifier(settings: JwtSettings, cooldownMs: number = KEY_COOLDOWN_MS): JwtVerifier {
  const { issuer, audience, algorithms, clockToleranceSeconds, ...claims } = jwtDefaults(settings);
  const keys = createRemoteJWKSet(new URL(settings.jwksUri), {
    cooldownDuration: cooldownMs,
    cacheMaxAge: KEYS_MAX_AGE_MS,
    timeoutDuration: FETCH_TIMEOUT_MS,
    [customFetch]: outgoingFetch,
  });
  const options = {
    issuer,
    audience,
    algorithms,
    clockTolerance: clockToleranceSeconds,
    requiredClaims: ['exp', 'sub', claims.userClaim],
  };
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keys, options);
      return checkOf(payload, readClaims(payload, claims));
    } catch (error) {
      return failureOf(error);
    }
  };
}

function checkOf({ exp = 0 }: JWTPayload, read: ReadClaims): JwtCheck {
  return 'problem' in read ? { is: 'invalid', reason: read.problem } : { is: 'valid', ...read, expiresAt: exp };
}

/** Messages of invalid tokens, by error code. Other errors do not prove that the token is invalid. */
const TOKEN_FAULTS: ReadonlyMap<string, string> = new Map([
  [errors.JWTInvalid.code, 'The credential is neither an API key nor a JSON Web Token.'],
  [errors.JWSInvalid.code, 'The credential is neither an API key nor a JSON Web Token.'],
  [errors.JOSEAlgNotAllowed.code, 'The token is signed by an algorithm that is not allowed.'],
  [errors.JOSENotSupported.code, 'The token uses an unsupported feature.'],
  [errors.JWSSignatureVerificationFailed.code, 'The signature of the token is wrong.'],
  [errors.JWKSNoMatchingKey.code, 'The token is signed by a key that the issuer does not have.'],
  [errors.JWKSMultipleMatchingKeys.code, 'The token does not name the key that signed it.'],
]);

function failureOf(error: unknown): JwtCheck {
  if (error instanceof errors.JWTExpired) return { is: 'expired' };
  if (error instanceof errors.JWTClaimValidationFailed) {
    return { is: 'invalid', reason: `The claim "${error.claim}" of the token is missing or wrong.` };
  }
  const code = error instanceof errors.JOSEError ? error.code : '';
  const reason = TOKEN_FAULTS.get(code);
  if (reason !== undefined) return { is: 'invalid', reason };
  return { is: 'unavailable', reason: error instanceof Error ? error.message : String(error) };
}
