import { setMaxListeners } from 'node:events';
import { ToolwrightError } from '../../errors.ts';
import { outgoingFetch } from '../../network/outgoing-fetch.ts';
import { MAX_REDIRECTS, REDIRECTS } from '../../network/redirects.ts';
import { shownAddress } from '../../network/shown-address.ts';
import { type BodyLimits, boundedBody } from './bounded-body.ts';
import { EventLimiter } from './event-limiter.ts';

/**
 * Returns a `fetch` for the origin of a URL only: any configured header may be a secret, so it must not reach other hosts.
 * Follows redirects within the origin, at most 5. Rejects with `UPSTREAM_PROTOCOL` for other redirects, and for those that lose a POST. Limits the size of
 * bodies, and of all event streams together. A server may be silent: calls have limits of their own. The signal ends the request at any
 * time. It goes past the `Request`: Node forgets the signal of a collected one, and its stream would stay open for ever.
 */
export function sameOriginFetch(
  url: string,
): (input: Parameters<typeof fetch>[0], init?: RequestInit, rewrite?: BodyLimits['rewrite']) => Promise<Response> {
  const { origin } = new URL(url);
  const events = new EventLimiter();
  return async (input, init = {}, rewrite = undefined) => {
    // Each request listens to the signal of its connection until it is collected: Node warns about 1,500 of them.
    if (init.signal) setMaxListeners(0, init.signal);
    let request = new Request(input, { ...init, redirect: 'manual' });
    if (request.method === 'POST') events.sent();
    for (let redirects = 0; ; redirects++) {
      const target = new URL(request.url);
      if (target.origin !== origin) throw refused(`${origin} leads to ${target.origin}`);
      // The body of a request can be sent once: a redirect needs its own copy.
      const next = request.clone();
      const response = await outgoingFetch(request, { silenceMs: 0, signal: init.signal });
      const location = response.headers.get('location');
      if (!REDIRECTS.has(response.status) || location === null)
        return boundedBody(response, { events, rewrite: response.ok ? rewrite : undefined });
      if (redirects === MAX_REDIRECTS) throw refused(`${origin} redirects more than ${MAX_REDIRECTS} times`);
      await response.body?.cancel();
      const to = new URL(location, target);
      if (request.method !== 'GET' && response.status < 307 && to.origin === origin) throw moved(to, response.status);
      request = new Request(to, next);
    }
  };
}

/** The redirects of old proxies turn a POST into a GET, which no MCP server answers. */
function moved(to: URL, status: number): ToolwrightError {
  const message = `The server has moved to ${shownAddress(to)} (HTTP ${status}). Configure this address: such a redirect loses the request.`;
  return new ToolwrightError('UPSTREAM_PROTOCOL', message);
}

function refused(what: string): ToolwrightError {
  const message = `${what}. Toolwright did not follow, because the configured headers are for one server only. Configure the right URL.`;
  return new ToolwrightError('UPSTREAM_PROTOCOL', message);
}
