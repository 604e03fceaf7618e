import type { MiddlewareHandler } from 'hono';
import { Counter, Histogram, type Registry } from 'prom-client';
import { routeOf } from './tracing.ts';

const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30];
/** The label of paths without a route: clients may send any number of paths. */
const UNMATCHED = 'unmatched';

/** Counts requests by route and status, and the time to their first byte. */
export function requestMetrics(registry: Registry): MiddlewareHandler {
  const registers = [registry];
  const answered = new Counter({
    name: 'toolwright_http_requests_total',
    help: 'Answered HTTP requests.',
    labelNames: ['method', 'route', 'status'] as const,
    registers,
  });
  const duration = new Histogram({
    name: 'toolwright_http_request_duration_seconds',
    help: 'Time from a request to the first byte of its response.',
    labelNames: ['method', 'route'] as const,
    buckets: BUCKETS_SECONDS,
    registers,
  });
  return async (context, next) => {
    const started = performance.now();
    await next();
    const { method } = context.req;
    const route = routeOf(context) ?? UNMATCHED;
    answered.inc({ method, route, status: String(context.res.status) });
    duration.observe({ method, route }, (performance.now() - started) / 1000);
  };
}
