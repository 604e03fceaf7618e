import { fileType } from '@toolwright/core/internal';
import { HttpProblem } from './requests/problem.ts';
import { acceptsType } from './requests/request-checks.ts';

/** The type of files whose client does not care. */
export const BYTES = 'application/octet-stream';
/** Any type: a file answers with its own. */
export const ANY_TYPE = '*/*';

/**
 * Returns the headers of a file with its own type. A program wrote it, so it is an attachment: a browser must not show it as a page of
 * this server. Raises `NOT_ACCEPTABLE`.
 */
export function downloadHeaders(bytes: Buffer, path: string, accept: string | undefined): Record<string, string> {
  const own = fileType(bytes, path);
  const type = [own, BYTES].find((each) => acceptsType(accept, each));
  if (type === undefined) {
    throw new HttpProblem(406, 'NOT_ACCEPTABLE', `The response is ${own}, which the Accept header excludes.`);
  }
  return { 'content-type': type, 'content-disposition': 'attachment' };
}
