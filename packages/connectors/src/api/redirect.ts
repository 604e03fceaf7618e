import { ToolwrightError } from '../errors.ts';
import { REDIRECTS } from '../network/redirects.ts';
import type { ApiRequest } from './request.ts';
import { isPublicHost } from './urls.ts';

/** A request after a redirect. */
export interface Redirected {
  readonly request: ApiRequest;
  /** Whether the credentials belong to it too. */
  readonly isSameOrigin: boolean;
}

/**
 * Returns the request that follows a redirect; undefined for any other answer. To another origin it takes neither credentials nor
 * a body. It goes only to public addresses over HTTPS: a server must not make Toolwright read a private network.
 */
export async function redirected(
  request: ApiRequest,
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  isPublic: (url: URL) => Promise<boolean> = isPublicHost,
): Promise<Redirected | undefined> {
  const location = headers.get('location');
  if (!REDIRECTS.has(status) || location === null) return undefined;
  if (!URL.canParse(location, request.url.href)) throw refused(request.url, 'an address that is no URL');
  const url = new URL(location, request.url);
  if (url.username !== '' || url.password !== '') throw refused(request.url, `${url.origin}, with a user name`);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (url.origin === request.url.origin) {
    if (isRead || status >= 307) return { request: { ...request, url }, isSameOrigin: true };
    const { body: _body, ...others } = request;
    return { request: { ...others, method: 'GET', url }, isSameOrigin: true };
  }
  if (!isRead && status !== 303) throw refused(request.url, `${url.origin}, and would send the arguments there`);
  if (url.protocol !== 'https:') throw refused(request.url, `${url.origin}, which is no HTTPS`);
  if (!(await isPublic(url))) throw refused(request.url, `${url.origin}, which is in a private network`);
  const accept = new Headers({ accept: request.headers.get('accept') ?? '*/*' });
  return { request: { method: request.method === 'HEAD' ? 'HEAD' : 'GET', url, headers: accept }, isSameOrigin: false };
}

function refused(from: URL, target: string): ToolwrightError {
  const text = `${from.origin} redirects to ${target}. Toolwright did not follow. Configure the right address.`;
  return new ToolwrightError('UPSTREAM_PROTOCOL', text);
}
