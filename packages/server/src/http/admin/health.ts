import { createRoute } from '@hono/zod-openapi';
import type { Toolwright, ToolwrightError } from '@toolwright/core';
import { type HealthPart, isDiskFull } from '@toolwright/core/internal';
import * as z from 'zod';
import type { WorkCounts } from '../../queue/queue.ts';
import { answers, type HttpApi } from '../api.ts';
import type { Idempotency } from '../requests/idempotency/idempotency.ts';
import { type HttpCode, HttpProblem, RETRY_AFTER_SECONDS } from '../requests/problem.ts';

const routes = {
  health: createRoute({
    method: 'get',
    path: '/health',
    operationId: 'health',
    summary: 'Report that the process is alive, and its running work',
    responses: answers({
      200: {
        description: 'Alive',
        schema: z.object({ status: z.enum(['ok', 'draining']), running: z.int() }).meta({ id: 'Health' }),
      },
    }),
  }),
  ready: createRoute({
    method: 'get',
    path: '/ready',
    operationId: 'ready',
    summary:
      'Report whether the server accepts work: sandbox, store, key and disk work, and the server is not stopping',
    responses: answers({
      200: {
        description: 'Ready',
        schema: z
          .object({
            status: z.literal('ready'),
            sandbox: z.string().meta({ description: '`workers` in a process whose programs run on workers.' }),
            role: z.enum(['all', 'api', 'worker']).optional().meta({ description: 'Only in a cluster.' }),
            redis: z.enum(['none', 'connected', 'degraded']).optional().meta({
              description: 'Only in a cluster. `degraded`: Redis is away, and everything works more slowly.',
            }),
            damaged: z
              .array(z.object({ kind: z.string(), file: z.string(), problem: z.string(), at: z.string() }))
              .optional()
              .meta({ description: 'Damaged files of the data folder that were renamed since the start.' }),
          })
          .meta({ id: 'Ready' }),
      },
    }),
  }),
};

/** The role of a process of a cluster, the state of its Redis, and the work of the whole cluster. */
export interface ClusterState {
  readonly role: 'all' | 'api' | 'worker';
  readonly redis: 'none' | 'connected' | 'degraded';
  counts(): Promise<WorkCounts>;
}

export interface HealthRouteOptions {
  readonly toolwright: Toolwright;
  readonly admission: { readonly isDraining: boolean; readonly running: number };
  /** Without it, the process is in no cluster. */
  readonly cluster?: ClusterState | undefined;
  /** Absent in a process that accepts no work. */
  readonly idempotency?: Idempotency;
}

/** Adds `/health` and `/ready`. */
export function addHealthRoutes(api: HttpApi, options: HealthRouteOptions): void {
  const { toolwright, admission, cluster, idempotency } = options;
  api.openapi(routes.health, (context) =>
    context.json({ status: admission.isDraining ? 'draining' : 'ok', running: admission.running }, 200),
  );
  api.openapi(routes.ready, async (context) => {
    if (admission.isDraining) {
      const headers = { 'retry-after': `${RETRY_AFTER_SECONDS}` };
      throw new HttpProblem(503, 'CLOSED', 'The server is shutting down.', { headers });
    }
    const { problems, damaged } = await toolwright.health();
    const [first] = problems;
    if (first) {
      const checks = problems.map(({ part, error }) => ({ part, detail: detailOf(part, error) }));
      const detail = checks.map((check) => check.detail).join(' ');
      const headers = { 'retry-after': `${RETRY_AFTER_SECONDS}` };
      throw new HttpProblem(503, codeOf(first.part, first.error), detail, { headers, extensions: { checks } });
    }
    if (idempotency && !idempotency.isReady()) {
      const detail = 'This process has lost its lease in the store, and takes a new one. The store may not answer.';
      throw new HttpProblem(503, 'STORE_UNAVAILABLE', detail, { headers: { 'retry-after': `${RETRY_AFTER_SECONDS}` } });
    }
    const { name } = await toolwright.sandbox();
    const files = damaged.map(({ kind, file, problem, at }) => ({ kind, file: withoutUser(file), problem, at }));
    const place = cluster && { role: cluster.role, redis: cluster.redis };
    const damagedFiles = files.length === 0 ? {} : { damaged: files };
    return context.json({ status: 'ready' as const, sandbox: name, ...place, ...damagedFiles }, 200);
  });
}

/** Everyone can read these details. Paths of the host are in the log only. */
const DETAILS: Readonly<Record<Exclude<HealthPart, 'dataFolder'>, string>> = {
  sandbox: 'No sandbox works. Run "toolwright doctor" on the server.',
  store: 'The store does not answer or is damaged. The log of the server names the fix.',
  key: 'The master key is missing, unreadable or another one. The log of the server names the fix.',
};

/** The check of the data folder names no path. */
function detailOf(part: HealthPart, error: ToolwrightError): string {
  if (error.code === 'BUSY') return error.message;
  return part === 'dataFolder' ? error.message : DETAILS[part];
}

function codeOf(part: HealthPart, error: ToolwrightError): HttpCode {
  if (error.code === 'BUSY') return 'BUSY';
  if (part === 'sandbox') return 'SANDBOX_UNAVAILABLE';
  if (part === 'store') return 'STORE_UNAVAILABLE';
  if (part === 'key') return 'VAULT_LOCKED';
  return isDiskFull(error) ? 'STORAGE_FULL' : 'CONFIG_INVALID';
}

/** Replaces the folders of users and customers, whose names are the names of people. */
function withoutUser(file: string): string {
  return file.replaceAll('\\', '/').replace(/(^|\/)(users|customers)\/[^/]+/, '$1$2/…');
}
