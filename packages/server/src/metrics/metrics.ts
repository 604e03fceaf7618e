import { personalDataFound, personalDataUsed, serversAsked } from '@toolwright/core/internal';
import { poolsAsked } from '@toolwright/sandbox/internal';
import type { Handler, MiddlewareHandler } from 'hono';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { RedisState } from '../cluster/open-cluster.ts';
import { quotaRefused } from '../diagnostics.ts';
import { VERSION } from '../version.ts';
import { boundedLabel } from './bounded.ts';
import { watchExecutions } from './executions.ts';
import { watchTasks } from './tasks.ts';
import { routeOf } from './tracing.ts';
import { type ReadWorkCounts, watchWork } from './work.ts';

/** The metrics of this process, for Prometheus. */
export interface Metrics {
  /** Answers `GET /metrics` in the text format of Prometheus. */
  readonly handler: Handler;
  /** Counts requests. Use it as the first middleware, so that it counts refused requests too. */
  readonly requests: MiddlewareHandler;
  /** Stops counting. */
  close(): void;
}

/** Classes of personal data with a series of their own. Configurations can add classes, so the number is limited. */
const MAX_CLASSES = 100;

/** The options of the metrics. */
interface MetricsOptions {
  /** Reads the work of a cluster. Default: the process is in no cluster. */
  readonly work?: ReadWorkCounts | undefined;
  /** Returns the state of the Redis of the cluster. Default: the process is in no cluster. */
  readonly redis?: (() => RedisState) | undefined;
}

/** Servers with a series of their own. Administrators can add servers, so the number is limited. */
const MAX_SERVERS = 500;

const REQUEST_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30];
/** The label of paths without a route: clients may send any number of paths. */
const UNMATCHED = 'unmatched';

/**
 * Creates a registry and starts to count. The numbers of executions, tool calls, tasks, tokens, pools, personal data and
 * exceeded quotas come from the diagnostics channels of this process.
 */
export function createMetrics({ work, redis }: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'toolwright_build_info',
    help: 'Always 1; the version is in the label.',
    labelNames: ['version'] as const,
    registers,
  }).set({ version: VERSION }, 1);
  const personal = new Counter({
    name: 'toolwright_pii_events_total',
    help: 'Values of personal data, by class: found, then restore, mask, derivation or denial.',
    labelNames: ['event', 'class'] as const,
    registers,
  });
  const refusals = new Counter({
    name: 'toolwright_quota_refusals_total',
    help: 'Requests, tasks and executions that were refused because a quota was used up.',
    labelNames: ['scope', 'quota'] as const,
    registers,
  });
  const requests = requestMetrics(registry);
  watchPools(registry);
  watchServers(registry);
  if (redis) watchRedis(registry, redis);
  const classLabel = boundedLabel(MAX_CLASSES);
  const stops = [
    watchExecutions(registry),
    watchTasks(registry),
    ...(work ? [watchWork(registry, work)] : []),
    personalDataFound.subscribe((type) => personal.inc({ event: 'found', class: classLabel(type) })),
    personalDataUsed.subscribe(({ event, type }) => personal.inc({ event, class: classLabel(type) })),
    quotaRefused.subscribe(({ scope, quota }) => refusals.inc({ scope, quota: snakeCase(quota) })),
  ];
  return {
    requests,
    handler: async (context) => context.body(await registry.metrics(), 200, { 'content-type': registry.contentType }),
    close() {
      for (const stop of stops) stop();
      registry.clear();
    },
  };
}

function snakeCase(camelCase: string): string {
  return camelCase.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Registers the metrics of the pools of guests. They are read when Prometheus collects the metrics. */
function watchPools(registry: Registry): void {
  const registers = [registry];
  new Gauge({
    name: 'toolwright_sandbox_guests',
    help: 'Guests in pools, by state: idle (ready for a program) or busy.',
    labelNames: ['sandbox', 'state'] as const,
    registers,
    collect() {
      this.reset();
      poolsAsked.publish(({ sandbox, idle, busy }) => {
        this.inc({ sandbox, state: 'idle' }, idle);
        this.inc({ sandbox, state: 'busy' }, busy);
      });
    },
  });
  new Gauge({
    name: 'toolwright_sandbox_waiting_executions',
    help: 'Executions that wait for a guest.',
    labelNames: ['sandbox'] as const,
    registers,
    collect() {
      this.reset();
      poolsAsked.publish(({ sandbox, waiting }) => this.inc({ sandbox }, waiting));
    },
  });
}

/** Registers whether messages between the processes of a cluster pass through Redis. */
export function watchRedis(registry: Registry, state: () => RedisState): void {
  new Gauge({
    name: 'toolwright_redis_connected',
    help: '1 while Redis carries messages between the processes of the cluster, else 0. Absent in a cluster without Redis.',
    registers: [registry],
    collect() {
      const found = state();
      if (found === 'none') this.remove();
      else this.set(found === 'connected' ? 1 : 0);
    },
  });
}

/** Registers the metric of the servers. It is read when Prometheus collects the metrics. */
function watchServers(registry: Registry): void {
  const serverLabel = boundedLabel(MAX_SERVERS);
  new Gauge({
    name: 'toolwright_server_state',
    help: 'Servers by their state: 1 for the current one.',
    labelNames: ['server', 'state'] as const,
    registers: [registry],
    collect() {
      this.reset();
      serversAsked.publish(({ server, state }) =>
        this.inc({ server: serverLabel(server), state: state.replaceAll(' ', '_') }),
      );
    },
  });
}

/** Counts requests by route and status, and the time to their first byte. */
function requestMetrics(registry: Registry): MiddlewareHandler {
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
    buckets: REQUEST_BUCKETS_SECONDS,
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
