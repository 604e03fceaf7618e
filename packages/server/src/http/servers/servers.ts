import { createRoute } from '@hono/zod-openapi';
import type { ExecutionResult } from '@toolwright/core';
import { executionEnded } from '@toolwright/core/internal';
import * as z from 'zod';
import { answers, type HttpApi, type RouteOptions } from '../api.ts';
import { accepts } from '../requests/request-checks.ts';
import { serverSchema, serverView } from '../server-view.ts';
import { percentile } from '../usage/usage-totals.ts';

const JSON_TYPE = 'application/json';
/** The last durations of a server, of which percentiles are computed. */
const MAX_DURATIONS = 500;
/** Servers that are counted. A program may invent names of tools. */
const MAX_SERVERS = 1_000;

const health = serverSchema
  .extend({
    calls: z.int().meta({ description: 'Calls of ended executions of this process.' }),
    failed: z.int(),
    p50Ms: z.number().optional(),
    p95Ms: z.number().optional(),
    lastError: z.object({ code: z.string(), at: z.string() }).optional(),
  })
  .meta({ id: 'ServerHealth' });

const route = createRoute({
  method: 'get',
  path: '/servers',
  operationId: 'listServerHealth',
  summary: 'List the servers with their health, latency and errors',
  responses: answers({ 200: { description: 'The servers', schema: z.object({ servers: z.array(health) }) } }),
  middleware: [accepts(JSON_TYPE)],
});

/** Adds `/servers`. Returns the function that ends its counting. */
export function addServerHealth(api: HttpApi, { toolwright }: RouteOptions): () => void {
  const counts = createCallCounts();
  api.openapi(route, async (context) => {
    const all = await toolwright.servers();
    const servers = all.map((server) => ({ ...serverView(server), ...counts.of(server.name) }));
    return context.json({ servers: await toolwright.pii.redact(servers) }, 200);
  });
  return executionEnded.subscribe(({ result }) => {
    // The calls of a suspended execution count at its end.
    if (result && result.status !== 'suspended') counts.add(result);
  });
}

interface CallCount {
  calls: number;
  failed: number;
  readonly durations: number[];
  lastError?: { readonly code: string; readonly at: string };
}

function createCallCounts() {
  const servers = new Map<string, CallCount>();
  return {
    add({ calls }: ExecutionResult): void {
      for (const { tool, status, durationMs, code } of calls) {
        const name = tool.split('__', 1)[0] ?? '';
        const known = servers.get(name);
        if (!known && servers.size >= MAX_SERVERS) continue;
        const count: CallCount = known ?? { calls: 0, failed: 0, durations: [] };
        servers.set(name, count);
        count.calls++;
        if (status === 'answered') count.durations.push(durationMs);
        if (count.durations.length > MAX_DURATIONS) count.durations.shift();
        if (status !== 'failed') continue;
        count.failed++;
        count.lastError = { code: code ?? 'UNKNOWN', at: new Date().toISOString() };
      }
    },
    of(name: string) {
      const { calls = 0, failed = 0, durations = [], lastError } = servers.get(name) ?? {};
      const sorted = [...durations].sort((a, b) => a - b);
      const [p50Ms, p95Ms] = [percentile(sorted, 0.5), percentile(sorted, 0.95)];
      return {
        calls,
        failed,
        p50Ms,
        p95Ms,
        lastError,
      };
    },
  };
}
