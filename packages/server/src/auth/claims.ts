import { isUserName } from './api-keys.ts';

/** The names of the claims that have the user and the scopes. */
export interface ClaimNames {
  readonly userClaim: string;
  readonly scopeClaim: string;
}

/** The person of a verified token. `problem`: it names no user, with the fix. */
export type ReadClaims =
  | {
      /** The issuer and its identifier of the person: nobody else ever has it. */
      readonly user: string;
      /** A name to show, such as an address. Another person may have it later. */
      readonly name?: string;
      readonly scopes: readonly string[];
    }
  | { readonly problem: string };

/** Claims that an issuer gives to one person, for good: `oid` is that of Entra ID. */
const IDENTIFIERS: ReadonlySet<string> = new Set(['sub', 'oid']);
/** Claims whose value can be an address that a person has entered. */
const ADDRESSES: ReadonlySet<string> = new Set(['email', 'upn', 'preferred_username']);

/**
 * Reads the person from the claims of a verified token. A claim that is no identifier only names the user, whom `sub` identifies.
 * An address that the issuer has not verified is a problem. The scopes are words in a text (RFC 9068), or a list.
 */
export function readClaims(
  claims: Readonly<Record<string, unknown>>,
  { userClaim, scopeClaim }: ClaimNames,
): ReadClaims {
  const { iss, sub, [userClaim]: value, [scopeClaim]: scope } = claims;
  if (!isUserName(value) || !isUserName(sub)) {
    return { problem: `The claim "${userClaim}" of the token is not a user name.` };
  }
  const isIdentifier = IDENTIFIERS.has(userClaim);
  if (!isIdentifier && (ADDRESSES.has(userClaim) || value.includes('@')) && !isVerified(claims.email_verified)) {
    return { problem: unverified(userClaim, claims.email_verified) };
  }
  const user = `${String(iss)}#${isIdentifier ? value : sub}`;
  const { length } = user;
  if (!isUserName(user)) {
    return { problem: `The issuer and the identifier of the token have ${length - 1} characters of at most 255.` };
  }
  return { user, name: isIdentifier ? undefined : value, scopes: wordsOf(scope) };
}

/** Some issuers send the text. */
function isVerified(value: unknown): boolean {
  return value === true || value === 'true';
}

function unverified(claim: string, value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  // The text is part of a header too.
  const found = /^[\w."-]{1,20}$/.test(text) ? text : 'something else';
  return (
    `The issuer has not verified the address in the claim "${claim}": "email_verified" is ${found}, and must be true. ` +
    'Verify the address there, or set userClaim to "sub" (Entra ID: "oid").'
  );
}

function wordsOf(scope: unknown): string[] {
  if (typeof scope === 'string') return scope.split(' ');
  return Array.isArray(scope) ? scope.filter((word) => typeof word === 'string') : [];
}
