import type { CorsSettings } from '@toolwright/core/internal';
import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import type { HttpEnv } from '../api.ts';

/** Seconds for which browsers keep the answer of a preflight. */
const MAX_AGE_SECONDS = 600;
/** Headers of responses that programs of a page may read, in addition to the ones that browsers always show. */
const EXPOSED = [
  'Location',
  'Mcp-Session-Id',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Allows pages of exact origins to call the server, and answers their preflights. Call it after the check of origins, which
 * refuses all others, and before the authentication: a preflight has no credential.
 */
export function allowOrigins({ origins, credentials }: CorsSettings): MiddlewareHandler<HttpEnv> {
  const allow = cors({
    origin: (origin) => (origins.includes(origin) ? origin : null),
    credentials,
    allowMethods: METHODS,
    exposeHeaders: EXPOSED,
    maxAge: MAX_AGE_SECONDS,
  });
  return (context, next) => {
    // Requests of programs and of the server's own pages need no permission.
    if (!origins.includes(context.req.header('origin') ?? '')) return next();
    return allow(context, next);
  };
}
