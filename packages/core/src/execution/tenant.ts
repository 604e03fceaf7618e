/**
 * Whose program it is, for sandboxes: what ran for one user, or in one session, is no place for another's program, also
 * where neither of them has a session.
 */
export function tenantOf(user: string, session: string | undefined): string {
  return JSON.stringify(session === undefined ? [user] : [user, session]);
}
