import { hostHeaderValidationResponse, originValidationResponse } from '@modelcontextprotocol/server';
import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { secureHeaders } from 'hono/secure-headers';
import type { HttpEnv } from './api.ts';
import { HttpProblem } from './problem.ts';

/** Headers of which a second one makes a request mean two things. */
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

/** Refuses a `Host` or `Origin` that is not ours, against DNS rebinding, and headers that say two things. */
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
      throw new HttpProblem(403, 'FORBIDDEN', 'The Host header does not name this server. Use its own host name.');
    }
    if (originValidationResponse(req.raw, [...hostnames])) {
      throw new HttpProblem(403, 'FORBIDDEN', 'Pages of another origin may not call this server.');
    }
    await next();
  };
}

/** Tells browsers to do nothing with what we answer; there is no CORS. */
export function secureAnswers(): MiddlewareHandler<HttpEnv> {
  const headers = secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
    },
    xFrameOptions: 'DENY',
    // What ends TLS before us knows whether to say so.
    strictTransportSecurity: false,
  });
  return async (context, next) => {
    // A page of ours says what it may load.
    let policy: string | null = null;
    await headers(context, async () => {
      await next();
      policy = context.res.headers.get('content-security-policy');
      if (!context.res.headers.has('cache-control')) context.header('cache-control', 'no-store');
    });
    if (policy !== null) context.header('content-security-policy', policy);
  };
}

/** Refuses bodies of more bytes, by their length or while they come. */
export function limitBody(maxBytes: number): MiddlewareHandler<HttpEnv> {
  return bodyLimit({
    maxSize: maxBytes,
    onError() {
      const detail = `The body has more than ${maxBytes} bytes. Send a smaller body.`;
      // The connection stays open for a moment: a client that is still sending would not read the answer else.
      throw new HttpProblem(413, 'BODY_TOO_LARGE', detail);
    },
  });
}

/** Refuses what the client cannot read: routes answer one type. */
export function accepts(type: string): MiddlewareHandler<HttpEnv> {
  return async ({ req }, next) => {
    if (acceptsType(req.header('accept'), type)) return next();
    throw new HttpProblem(406, 'NOT_ACCEPTABLE', `The response is ${type}, which the Accept header excludes.`);
  };
}

/** Whether an `Accept` header takes a media type; without one everything is taken. */
export function acceptsType(accept: string | undefined, type: string): boolean {
  if (accept === undefined || accept.trim() === '') return true;
  const [family] = type.split('/');
  return accept.split(',').some((range) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const refused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    return !refused && (name === type || name === `${family}/*` || name === '*/*');
  });
}
