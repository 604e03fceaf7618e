import * as z from 'zod';
import { LOCAL_PRINCIPAL, type Principal, type Scope } from '../principal.ts';
import { userQuery } from './api.ts';
import { HttpProblem } from './requests/problem.ts';

/** The users whose data a request reads: one, or all. */
export type Subjects = { readonly userId: string } | { readonly all: true };

/** The query parameters by which clients choose {@link Subjects}. */
export const subjectsQuery = userQuery.extend({
  all: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'Whether the data of all users is read. Needs the scope `executions:decide`.' }),
});

/**
 * Returns the user of a request: the authenticated user. A server without keys accepts any `userId`. With a scope,
 * a principal that has it may name any user. Raises a problem 403 for another user.
 */
export function userOf(principal: Principal, claimed: string | undefined, scope?: Scope): string {
  if (claimed === undefined || claimed === principal.user) return principal.user;
  if (mayNameOthers(principal, scope)) return claimed;
  const other = scope === undefined ? '' : ` A key for the data of other users has the scope "${scope}".`;
  throw new HttpProblem(403, 'FORBIDDEN', `"userId" is not the user of this key. Remove it.${other}`);
}

/** Returns the users of a request. Raises a problem 403 for other users without the scope, and 400 for one user and all. */
export function subjectsOf(
  principal: Principal,
  { userId, all }: { readonly userId?: string | undefined; readonly all?: 'true' | 'false' | undefined },
  scope: Scope,
): Subjects {
  if (all !== 'true') return { userId: userOf(principal, userId, scope) };
  if (userId !== undefined) throw new HttpProblem(400, 'INVALID_REQUEST', 'Send either "userId" or "all".');
  if (mayNameOthers(principal, scope)) return { all: true };
  const detail = `This key may not read the data of all users. Remove "all", or use a key with the scope "${scope}".`;
  throw new HttpProblem(403, 'FORBIDDEN', detail);
}

/** Returns whether a principal may read the data of other users. */
export function mayNameOthers({ credential, scopes }: Principal, scope?: Scope): boolean {
  return credential === LOCAL_PRINCIPAL.credential || (scope !== undefined && (scopes?.includes(scope) ?? false));
}
