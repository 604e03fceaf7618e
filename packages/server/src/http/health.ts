import { createRoute } from '@hono/zod-openapi';
import * as z from 'zod';
import { answers, type HttpApi, type RouteOptions } from './api.ts';
import { HttpProblem, RETRY_AFTER_SECONDS } from './problem.ts';

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
    summary: 'Report whether the server accepts work: a sandbox works and the server is not stopping',
    responses: answers({
      200: {
        description: 'Ready',
        schema: z.object({ status: z.literal('ready'), sandbox: z.string() }).meta({ id: 'Ready' }),
      },
    }),
  }),
};

/** Adds `/health` and `/ready`. */
export function addHealthRoutes(api: HttpApi, { toolwright, admission }: RouteOptions): void {
  api.openapi(routes.health, (context) =>
    context.json({ status: admission.isDraining ? 'draining' : 'ok', running: admission.running }, 200),
  );
  api.openapi(routes.ready, async (context) => {
    if (admission.isDraining) {
      const headers = { 'retry-after': `${RETRY_AFTER_SECONDS}` };
      throw new HttpProblem(503, 'CLOSED', 'The server is shutting down.', { headers });
    }
    const { name } = await toolwright.sandbox();
    return context.json({ status: 'ready' as const, sandbox: name }, 200);
  });
}
