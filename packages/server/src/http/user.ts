import { LOCAL_PRINCIPAL, type Principal } from '../principal.ts';
import { HttpProblem } from './problem.ts';

/**
 * Whose things a request means. Who is authenticated means their own; a `userId` counts on a server without keys only,
 * where whoever reaches it speaks for everybody.
 */
export function userOf(principal: Principal, claimed: string | undefined): string {
  if (claimed === undefined || claimed === principal.user) return principal.user;
  if (principal.credential === LOCAL_PRINCIPAL.credential) return claimed;
  throw new HttpProblem(403, 'FORBIDDEN', 'userId is not the user of this key. Leave it out.');
}
