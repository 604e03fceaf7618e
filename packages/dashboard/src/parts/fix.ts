import type { Problem } from '../api/problem.ts';

/** Returns the fix of a problem whose text has none; undefined for the others, because the server wrote it into the text. */
export function fixOf({ status, code, requestId }: Problem): string | undefined {
  if (code === 'PAGE_ERROR') return 'Load the page again. Report the error if it comes back.';
  if (status < 500 || (code !== 'INTERNAL' && code !== 'UNKNOWN')) return undefined;
  return requestId === undefined
    ? 'Try again later. A proxy may have answered in place of the server.'
    : 'Try again. The log of the server has the reason at the id of this request.';
}
