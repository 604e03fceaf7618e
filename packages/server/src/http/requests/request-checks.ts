import { hostHeaderValidationResponse, originValidationResponse } from '@modelcontextprotocol/server';
import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { secureHeaders } from 'hono/secure-headers';
import type { HttpEnv } from '../api.ts';
import { HttpProblem } from './problem.ts';

/** Headers that make a request ambiguous when it has two of them. */
const SINGLE: ReadonlySet<string> = new Set([
  'host',
  'origin',
  'content-type',
  'content-length',
  'content-encoding',
  'authorization',
  'idempotency-key',
  'last-event-id',
]);

/** The most characters of a refused `Host` header that the answer repeats. */
const MAX_HOST_CHARS = 100;
const ADD_NAME = 'add the name to "hostnames" in the configuration of the server, or to TOOLWRIGHT_HOSTNAMES';
/** The most headers of a request. */
const MAX_HEADERS = 100;

/**
 * Refuses too many or duplicate headers, and a URL, `Host` or `Origin` of another server, against DNS rebinding. Accepts also
 * requests of pages with one of these `origins`.
 */
export function checkOrigin(hostnames: readonly string[], origins: readonly string[] = []): MiddlewareHandler<HttpEnv> {
  return async ({ req, env }, next) => {
    const { rawHeaders = [], url: target = '/' } = env?.incoming ?? {};
    const count = rawHeaders.length / 2;
    if (count > MAX_HEADERS) {
      const detail = `The request has ${count} headers, the limit is ${MAX_HEADERS}. Send fewer headers.`;
      throw new HttpProblem(431, 'HEADERS_TOO_LARGE', detail);
    }
    const foreign = 'The URL in the request line does not name this server. Send the path alone, with a Host header.';
    if (!target.startsWith('/') && !isOwnUrl(target, hostnames)) throw new HttpProblem(400, 'BAD_REQUEST', foreign);
    const seen = new Set<string>();
    for (const [index, name] of rawHeaders.entries()) {
      const lower = name.toLowerCase();
      if (index % 2 === 1 || !SINGLE.has(lower)) continue;
      if (seen.has(lower))
        throw new HttpProblem(400, 'BAD_REQUEST', `The request has the header "${lower}" twice. Send it once.`);
      seen.add(lower);
    }
    if (hostHeaderValidationResponse(req.raw, [...hostnames])) {
      const named = JSON.stringify((req.header('host') ?? '').slice(0, MAX_HOST_CHARS));
      const detail = `The Host header is ${named}, which this server does not serve. Use a host name of the server, or ${ADD_NAME}.`;
      throw new HttpProblem(403, 'FORBIDDEN', detail);
    }
    if (!origins.includes(req.header('origin') ?? '') && originValidationResponse(req.raw, [...hostnames])) {
      throw new HttpProblem(
        403,
        'FORBIDDEN',
        `Pages of another origin may not call this server. Add the origin to "cors.origins" in the configuration of the server. For pages of its other names, ${ADD_NAME}.`,
      );
    }
    await next();
  };
}

function isOwnUrl(target: string, hostnames: readonly string[]): boolean {
  if (!URL.canParse(target)) return false;
  const { protocol, hostname, username, password } = new URL(target);
  return /^https?:$/.test(protocol) && hostnames.includes(hostname) && username === '' && password === '';
}

/** Refuses paths that two programs could read differently: see {@link pathProblem}. */
export function checkPath(): MiddlewareHandler<HttpEnv> {
  return async ({ req, env }, next) => {
    const [path = ''] = (env?.incoming?.url ?? req.url).replace(/^https?:\/\/[^/?#]*/i, '').split('?');
    const problem = pathProblem(path);
    if (problem !== undefined) throw new HttpProblem(400, 'BAD_REQUEST', `The path is ambiguous: ${problem}`);
    await next();
  };
}

/** Returns the reason why a path is ambiguous, with the fix. A percent sign in a name is `%25`, a space is `%20`. */
function pathProblem(path: string): string | undefined {
  if (/[^!-~]/.test(path)) return 'it has characters outside of ASCII. Percent-encode them as UTF-8.';
  if (/%2f/i.test(path)) return 'it has an encoded slash. Send "/" between the parts of a path.';
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return 'its percent-encoding is not valid UTF-8. Encode "%" as "%25", and other characters as UTF-8.';
  }
  if (/%[\da-f]{2}/i.test(decoded)) return 'it is percent-encoded twice. Encode it once.';
  if (decoded.split(/[/\\]/).some((part) => part === '.' || part === '..'))
    return 'it has a part "." or "..". Remove it.';
  return undefined;
}

const OWN_POLICIES = ['content-security-policy', 'referrer-policy'];

/** Adds the headers that forbid browsers to run or embed responses. `allowOrigins` permits origins to call it. */
export function addSecurityHeaders(): MiddlewareHandler<HttpEnv> {
  const headers = secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
    },
    xFrameOptions: 'DENY',
    // The TLS proxy in front of the server decides about HSTS.
    strictTransportSecurity: false,
  });
  return async (context, next) => {
    // Some pages set policies of their own, which must stay.
    const own = new Map<string, string>();
    await headers(context, async () => {
      await next();
      for (const name of OWN_POLICIES) {
        const policy = context.res.headers.get(name);
        if (policy !== null) own.set(name, policy);
      }
      if (!context.res.headers.has('cache-control')) context.header('cache-control', 'no-store');
    });
    for (const [name, policy] of own) context.header(name, policy);
  };
}

/** The files of sessions, which the quota of the workspace limits. */
const FILE_OF_SESSION = /\/sessions\/[^/]+\/files\/./;

/** Refuses longer bodies: by `Content-Length`, or while the server receives them. A file of a session has a limit of its own. */
export function limitBody(maxBytes: number): MiddlewareHandler<HttpEnv> {
  const limit = bodyLimit({
    maxSize: maxBytes,
    onError() {
      const detail = `The body has more than ${maxBytes} bytes. Send a smaller body.`;
      // The connection stays open for a moment, because a client that still sends would not read the response.
      throw new HttpProblem(413, 'BODY_TOO_LARGE', detail);
    },
  });
  return (context, next) => {
    const { method, path } = context.req;
    const hasLength = context.req.header('content-length') !== undefined;
    return method === 'PUT' && hasLength && FILE_OF_SESSION.test(path) ? next() : limit(context, next);
  };
}

/** Refuses a request whose `Accept` header excludes the media type of the route. */
export function accepts(type: string): MiddlewareHandler<HttpEnv> {
  return async ({ req }, next) => {
    if (acceptsType(req.header('accept'), type)) return next();
    throw new HttpProblem(406, 'NOT_ACCEPTABLE', `The response is ${type}, which the Accept header excludes.`);
  };
}

/** Returns whether an `Accept` header includes a media type. A missing header includes every type. */
export function acceptsType(accept: string | undefined, type: string): boolean {
  if (accept === undefined || accept.trim() === '') return true;
  const [family] = type.split('/');
  return accept.split(',').some((range) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const refused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    return !refused && (name === type || name === `${family}/*` || name === '*/*');
  });
}
