import { personalDataFound, personalDataUsed } from '@toolwright/core/internal';
import type { Handler, MiddlewareHandler } from 'hono';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { RedisState } from '../cluster/open-cluster.ts';
import { quotaRefused } from '../diagnostics.ts';
import { VERSION } from '../version.ts';
import { boundedLabel } from './bounded.ts';
import { watchExecutions } from './executions.ts';
import { watchPools } from './pools.ts';
import { watchRedis } from './redis.ts';
import { requestMetrics } from './requests.ts';
import { watchServers } from './servers.ts';
import { watchTasks } from './tasks.ts';
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
export interface MetricsOptions {
  /** Reads the work of a cluster. Default: the process is in no cluster. */
  readonly work?: ReadWorkCounts | undefined;
  /** Returns the state of the Redis of the cluster. Default: the process is in no cluster. */
  readonly redis?: (() => RedisState) | undefined;
}

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
