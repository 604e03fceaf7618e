import { ToolwrightError } from '../../../errors.ts';
import { boundedBody } from './bounded-body.ts';

/** Redirects that are followed at most. */
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Makes a `fetch` that goes to the origin of a URL and nowhere else: configured headers may be secrets under any name, and a
 * server must not lead us to other hosts. Redirects within the origin are followed. Rejects with `UPSTREAM_PROTOCOL` for
 * others, and for more than 5. Bodies are no larger than messages may be.
 */
export function sameOriginFetch(url: string): typeof fetch {
  const { origin } = new URL(url);
  return async (input, init = {}) => {
    let request = new Request(input, { ...init, redirect: 'manual' });
    for (let redirects = 0; ; redirects++) {
      const target = new URL(request.url);
      if (target.origin !== origin) throw refused(`${origin} leads to ${target.origin}`);
      // What is sent again must not have been read.
      const next = request.clone();
      const response = await fetch(request);
      const location = response.headers.get('location');
      if (!REDIRECTS.has(response.status) || location === null) return boundedBody(response);
      if (redirects === MAX_REDIRECTS) throw refused(`${origin} redirects more than ${MAX_REDIRECTS} times`);
      await response.body?.cancel();
      request = redirected(next, new URL(location, target), response.status);
    }
  };
}

/** As browsers do: after 301, 302 and 303 a POST becomes a GET. */
function redirected(request: Request, location: URL, status: number): Request {
  if (status >= 307 || request.method === 'GET') return new Request(location, request);
  return new Request(location, { headers: request.headers, signal: request.signal, redirect: 'manual' });
}

function refused(what: string): ToolwrightError {
  const message = `${what}: not followed, since the server's headers are for that server alone. Configure the right URL.`;
  return new ToolwrightError('UPSTREAM_PROTOCOL', message);
}
