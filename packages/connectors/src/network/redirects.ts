/** Statuses with which a server sends a client to another address (RFC 9110, section 15.4). */
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Maximum number of redirects of one request. */
export const MAX_REDIRECTS = 5;
