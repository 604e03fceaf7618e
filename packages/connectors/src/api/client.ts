import { setTimeout as sleep } from 'node:timers/promises';
import { readBytes } from '../content/read-bytes.ts';
import { ToolwrightError } from '../errors.ts';
import { networkReason } from '../network/network-reason.ts';
import { outgoingFetch } from '../network/outgoing-fetch.ts';
import { retryDelayMs } from '../network/retry.ts';
import type { Credentials } from './credentials.ts';
import { redirected } from './redirect.ts';
import type { ApiAnswer, ApiRequest, CallScope } from './request.ts';

const MAX_REDIRECTS = 5;

/** The options of {@link exchange}. */
export interface ExchangeOptions {
  readonly server: string;
  /** Absent: the request has no credentials. */
  readonly credentials?: Credentials | undefined;
  readonly scope: CallScope;
  readonly maxBytes?: number;
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
