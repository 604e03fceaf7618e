import { LOCAL_PRINCIPAL, type Principal, type Scope } from '../principal.ts';
import { HttpProblem } from './problem.ts';

/**
 * Returns the user of a request: the authenticated user. A server without keys accepts any `userId`. With a scope,
 * a principal that has it may name any user. Raises a problem 403 for another user.
 */
export function userOf(principal: Principal, claimed: string | undefined, scope?: Scope): string {
  if (claimed === undefined || claimed === principal.user) return principal.user;
  if (principal.credential === LOCAL_PRINCIPAL.credential) return claimed;
  if (scope !== undefined && principal.scopes?.includes(scope)) return claimed;
  const other = scope === undefined ? '' : ` A key for the data of other users has the scope "${scope}".`;
  throw new HttpProblem(403, 'FORBIDDEN', `"userId" is not the user of this key. Remove it.${other}`);
}
