import { SpanKind } from '@opentelemetry/api';
import { callerContext, failSpan, inSpan } from '@toolwright/connectors/internal';
import type { Context, MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';

const FIRST_SERVER_ERROR = 500;

/**
 * Runs each request within a span, in the trace of its `traceparent` header. The name of the span is the method and the
 * route, without ids. The span does not contain the query.
 */
export function httpTracing(): MiddlewareHandler {
  return async (context, next) => {
    const { method } = context.req;
    const fields = { traceparent: context.req.header('traceparent'), tracestate: context.req.header('tracestate') };
    const options = {
      kind: SpanKind.SERVER,
      attributes: { 'http.request.method': method, 'url.path': context.req.path },
      parent: callerContext(fields),
    };
    await inSpan(method, options, async (span) => {
      await next();
      const route = routeOf(context);
      if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
      const { status } = context.res;
      span.setAttribute('http.response.status_code', status);
      if (status >= FIRST_SERVER_ERROR) failSpan(span, String(status));
    });
  };
}

/** Returns the registered route that answered a request, or `undefined` when only a middleware answered. */
export function routeOf(context: Context): string | undefined {
  const path = routePath(context, -1);
  return path === '' || path === '*' || path === '/*' ? undefined : path;
}
