import type { Logger, Toolwright } from '@toolwright/core';
import type { MiddlewareHandler } from 'hono';
import { emptyApi } from '../../http.ts';
import { isLoopback, listenWith } from '../../listen.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { addSecurityHeaders } from '../requests/request-checks.ts';
import { addRequestId } from '../requests/request-id.ts';
import { addHealthRoutes, type HealthRouteOptions } from './health.ts';

export interface WorkerListenerOptions extends HealthRouteOptions {
  readonly toolwright: Toolwright;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly metrics: Metrics;
  /** Authenticates requests for `/metrics`. `allowLocal`: without a credential, if there are no keys. */
  readonly authenticate: (options: { readonly allowLocal: boolean }) => MiddlewareHandler;
  readonly logger: Logger;
  readonly dataDir: string;
}

/**
 * Serves `/health`, `/ready` and `/metrics` of a worker, and nothing else. The metrics need a credential like those of an api process, and
 * without API keys only a listener on the loopback has them. Raises `CONFIG_INVALID` when the port is taken.
 */
export function listenAsWorker(
  options: WorkerListenerOptions,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { host, metrics, authenticate } = options;
  const api = emptyApi(options);
  api.use(addRequestId());
  api.use(metrics.requests);
  api.use(addSecurityHeaders());
  addHealthRoutes(api, options);
  api.use('/metrics', authenticate({ allowLocal: isLoopback(host) }));
  api.get('/metrics', metrics.handler);
  return listenWith({ fetch: api.fetch, close: async () => undefined }, options);
}
