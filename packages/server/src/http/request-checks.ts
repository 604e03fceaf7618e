import { hostHeaderValidationResponse, originValidationResponse } from '@modelcontextprotocol/server';
import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { secureHeaders } from 'hono/secure-headers';
import type { HttpEnv } from './api.ts';
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

/** Refuses duplicate headers, and a `Host` or `Origin` of another server, against DNS rebinding. */
export function checkOrigin(hostnames: readonly string[]): MiddlewareHandler<HttpEnv> {
  return async ({ req, env }, next) => {
    const seen = new Set<string>();
    for (const [index, name] of (env?.incoming?.rawHeaders ?? []).entries()) {
      const lower = name.toLowerCase();
      if (index % 2 === 1 || !SINGLE.has(lower)) continue;
      if (seen.has(lower))
        throw new HttpProblem(400, 'BAD_REQUEST', `The request has the header "${lower}" twice. Send it once.`);
      seen.add(lower);
    }
    if (hostHeaderValidationResponse(req.raw, [...hostnames])) {
      const named = JSON.stringify((req.header('host') ?? '').slice(0, MAX_HOST_CHARS));
      const fix = 'add the name to "hostnames" in the configuration of the server, or to TOOLWRIGHT_HOSTNAMES';
      const detail = `The Host header is ${named}, which this server does not serve. Use a host name of the server, or ${fix}.`;
      throw new HttpProblem(403, 'FORBIDDEN', detail);
    }
    if (originValidationResponse(req.raw, [...hostnames])) {
      throw new HttpProblem(403, 'FORBIDDEN', 'Pages of another origin may not call this server.');
    }
    await next();
  };
}

/** Adds the headers that forbid browsers to run or embed responses. The server has no CORS. */
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
    // The documentation page sets its own policy, which must stay.
    let policy: string | null = null;
    await headers(context, async () => {
      await next();
      policy = context.res.headers.get('content-security-policy');
      if (!context.res.headers.has('cache-control')) context.header('cache-control', 'no-store');
    });
    if (policy !== null) context.header('content-security-policy', policy);
  };
}

/** Refuses longer bodies: by `Content-Length`, or while the server receives them. */
export function limitBody(maxBytes: number): MiddlewareHandler<HttpEnv> {
  return bodyLimit({
    maxSize: maxBytes,
    onError() {
      const detail = `The body has more than ${maxBytes} bytes. Send a smaller body.`;
      // The connection stays open for a moment, because a client that still sends would not read the response.
      throw new HttpProblem(413, 'BODY_TOO_LARGE', detail);
    },
  });
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
