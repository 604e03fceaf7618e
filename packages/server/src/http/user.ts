import { LOCAL_PRINCIPAL, type Principal } from '../principal.ts';
import { HttpProblem } from './problem.ts';

/**
 * Returns the user of a request: the authenticated user. A server without keys accepts any `userId`. Raises a problem 403
 * for another user.
 */
export function userOf(principal: Principal, claimed: string | undefined): string {
  if (claimed === undefined || claimed === principal.user) return principal.user;
  if (principal.credential === LOCAL_PRINCIPAL.credential) return claimed;
  throw new HttpProblem(403, 'FORBIDDEN', '"userId" is not the user of this key. Remove it.');
}
