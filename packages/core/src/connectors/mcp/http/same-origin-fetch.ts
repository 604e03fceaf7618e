import { ToolwrightError } from '../../../errors.ts';
import { MAX_REDIRECTS, REDIRECTS } from '../../redirects.ts';
import { type BodyLimits, boundedBody } from './bounded-body.ts';
import { EventLimiter } from './event-limiter.ts';
import { patientFetch } from './patient-fetch.ts';

/**
 * Returns a `fetch` for the origin of a URL only: any configured header may be a secret, so it must not reach other hosts.
 * Follows redirects within the origin, at most 5. Rejects with `UPSTREAM_PROTOCOL` for other redirects. Limits the size of
 * bodies, and of all event streams together.
 */
export function sameOriginFetch(
  url: string,
): (input: Parameters<typeof fetch>[0], init?: RequestInit, rewrite?: BodyLimits['rewrite']) => Promise<Response> {
  const { origin } = new URL(url);
  const events = new EventLimiter();
  return async (input, init = {}, rewrite = undefined) => {
    let request = new Request(input, { ...init, redirect: 'manual' });
    if (request.method === 'POST') events.sent();
    for (let redirects = 0; ; redirects++) {
      const target = new URL(request.url);
      if (target.origin !== origin) throw refused(`${origin} leads to ${target.origin}`);
      // The body of a request can be sent once: a redirect needs its own copy.
      const next = request.clone();
      const response = await patientFetch(request);
      const location = response.headers.get('location');
      if (!REDIRECTS.has(response.status) || location === null)
        return boundedBody(response, { events, rewrite: response.ok ? rewrite : undefined });
      if (redirects === MAX_REDIRECTS) throw refused(`${origin} redirects more than ${MAX_REDIRECTS} times`);
      await response.body?.cancel();
      request = redirected(next, new URL(location, target), response.status);
    }
  };
}

/** Converts a POST to a GET after 301, 302 and 303, like browsers. */
function redirected(request: Request, location: URL, status: number): Request {
  if (status >= 307 || request.method === 'GET') return new Request(location, request);
  return new Request(location, { headers: request.headers, signal: request.signal, redirect: 'manual' });
}

function refused(what: string): ToolwrightError {
  const message = `${what}. Toolwright did not follow, because the configured headers are for one server only. Configure the right URL.`;
  return new ToolwrightError('UPSTREAM_PROTOCOL', message);
}
