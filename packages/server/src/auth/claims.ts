import { isUserName } from './api-keys.ts';

/** The names of the claims that have the user and the scopes. */
export interface ClaimNames {
  readonly userClaim: string;
  readonly scopeClaim: string;
}

/** The person of a verified token. `problem`: it names no user. */
export type ReadClaims =
  | { readonly user: string; readonly subject: string; readonly scopes: readonly string[] }
  | { readonly problem: string };

/** Reads the person from the claims of a verified token. The scopes are words in a text (RFC 9068), or a list. */
export function readClaims(
  claims: Readonly<Record<string, unknown>>,
  { userClaim, scopeClaim }: ClaimNames,
): ReadClaims {
  const { sub, [userClaim]: user, [scopeClaim]: scope } = claims;
  if (!isUserName(user) || !isUserName(sub)) {
    return { problem: `The claim "${userClaim}" of the token is not a user name.` };
  }
  return { user, subject: sub, scopes: wordsOf(scope) };
}

function wordsOf(scope: unknown): string[] {
  if (typeof scope === 'string') return scope.split(' ');
  return Array.isArray(scope) ? scope.filter((word) => typeof word === 'string') : [];
}
