import { setTimeout as sleep } from 'node:timers/promises';
import { readBytes } from '../content/read-bytes.ts';
import { ToolwrightError } from '../errors.ts';
import { networkReason } from '../network/network-reason.ts';
import { outgoingFetch } from '../network/outgoing-fetch.ts';
import { REDIRECTS } from '../network/redirects.ts';
import { retryDelayMs } from '../network/retry.ts';
import type { Credentials } from './credentials.ts';
import type { ApiAnswer, ApiRequest, CallScope } from './request.ts';
import { isPublicHost } from './urls.ts';

const MAX_REDIRECTS = 5;

/** The options of {@link exchange}. */
interface ExchangeOptions {
  readonly server: string;
  /** Absent: the request has no credentials. */
  readonly credentials?: Credentials | undefined;
  readonly scope: CallScope;
  readonly maxBytes?: number;
}

/** A request after a redirect. */
interface Redirected {
  readonly request: ApiRequest;
  /** Whether the credentials belong to it too. */
  readonly isSameOrigin: boolean;
}

/**
 * Sends a request and reads the whole answer, of any status. Follows redirects. Sends a request again only after the server has
 * refused it. An idempotent one is sent again after 429 and 503. Any one is sent again once after 401 if its access token
 * was an old one. Raises
 * `UPSTREAM_UNAVAILABLE` without an answer.
 */
export async function exchange(request: ApiRequest, options: ExchangeOptions): Promise<ApiAnswer> {
  const { credentials, scope } = options;
  let isRenewed = false;
  for (let retries = 0; ; retries++) {
    const { response, url } = await follow(request, options);
    if (response.status === 401 && !isRenewed && credentials?.renew()) {
      isRenewed = true;
      await response.body?.cancel();
      continue;
    }
    const delayMs = retryDelayMs(request, response, retries, scope.remainingMs());
    if (delayMs === undefined) {
      const { status, headers } = response;
      const bytes = await reaching(request, options.server, () => readBytes(response, options.maxBytes));
      return { url, status, headers, bytes };
    }
    await response.body?.cancel();
    await sleep(delayMs, undefined, { signal: scope.signal });
  }
}

async function follow(
  first: ApiRequest,
  { server, credentials, scope }: ExchangeOptions,
): Promise<{ response: Response; url: URL }> {
  let request = first;
  // After another origin, credentials stay away from all further addresses: that origin has chosen them.
  let hasLeft = false;
  for (let redirects = 0; ; redirects++) {
    if (hasLeft && credentials?.isIn(request.url)) throw repeatsSecret(first.url, request.url);
    const complete = credentials && !hasLeft ? await credentials.addTo(request, scope) : request;
    const response = await send(server, complete, scope);
    const next = await redirected(request, response);
    if (next === undefined) return { response, url: request.url };
    await response.body?.cancel();
    if (redirects === MAX_REDIRECTS) {
      const text = `${first.url.origin} redirects more than ${MAX_REDIRECTS} times. Configure the right address.`;
      throw new ToolwrightError('UPSTREAM_PROTOCOL', text);
    }
    hasLeft ||= !next.isSameOrigin;
    request = next.request;
  }
}

function repeatsSecret(from: URL, to: URL): ToolwrightError {
  const text = `${from.origin} redirects to ${to.origin}, and the address has a credential in it. Toolwright did not follow. Configure the right address.`;
  return new ToolwrightError('UPSTREAM_PROTOCOL', text);
}

async function send(server: string, request: ApiRequest, scope: CallScope): Promise<Response> {
  const { method, url, headers, body } = request;
  const init = { method, headers, redirect: 'manual', signal: scope.signal, body };
  return reaching(request, server, () => outgoingFetch(url, init as RequestInit));
}

/** Converts an error of the network. The original error is not the cause: it may quote the request. */
async function reaching<T>({ method, url }: ApiRequest, server: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolwrightError) throw error;
    const effect =
      method === 'GET' || method === 'HEAD' ? '' : ': the call may have taken effect, and was not repeated';
    const text = `${server} could not be reached at ${url.origin} (${networkReason(error)})${effect}.`;
    throw new ToolwrightError('UPSTREAM_UNAVAILABLE', text, { details: { server } });
  }
}

/**
 * Returns the request that follows a redirect; undefined for any other answer. To another origin it takes neither credentials nor
 * a body. It goes only to public addresses over HTTPS: a server must not make Toolwright read a private network.
 */
export async function redirected(
  request: ApiRequest,
  { status, headers }: Response,
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
