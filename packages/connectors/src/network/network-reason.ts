import { messageOf, ToolwrightError } from '../errors.ts';

/** Returns the reason of the innermost cause of a network error: the error itself is only `fetch failed`. */
export function networkReason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error) return networkReason(cause);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^(E[A-Z]+|UND_ERR_\w+)$/.test(code) ? `network error ${code}` : messageOf(error);
}

/** The code of a network error when no server listens at an address, and `details.network` of an error of a connection. */
export const REFUSED = 'ECONNREFUSED';

/** Returns whether a request found no server at its address. Then nobody has received it. */
export function isConnectionRefused(error: unknown): boolean {
  if (error instanceof ToolwrightError) return error.details.network === REFUSED;
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === REFUSED) || isConnectionRefused(error.cause);
}
