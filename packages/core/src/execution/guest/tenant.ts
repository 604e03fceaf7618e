/**
 * Returns the tenant of a program: its user, and its session if it has one. A sandbox process that has run one tenant's
 * program never runs another tenant's.
 */
export function tenantOf(userId: string, sessionId: string | undefined): string {
  return JSON.stringify(sessionId === undefined ? [userId] : [userId, sessionId]);
}
