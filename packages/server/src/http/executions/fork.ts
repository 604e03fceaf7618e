import { createRoute } from '@hono/zod-openapi';
import { withoutHostPaths } from '@toolwright/core/internal';
import * as z from 'zod';
import { answers, type HttpApi, type RouteOptions, userQuery } from '../api.ts';
import { clientHeadersOf } from '../client-headers.ts';
import type { Idempotency, Repeatable } from '../requests/idempotency/idempotency.ts';
import { jsonBody } from '../requests/json-body.ts';
import { accepts } from '../requests/request-checks.ts';
import { userOf } from '../user.ts';
import { busyProblem, executionResult } from './execute.ts';
import { recordedResult } from './execution-result.ts';

const body = z
  .strictObject({
    at: z.int().min(0).meta({ description: 'Number of the last call that is repeated with its recorded answer.' }),
    code: z.string().optional().meta({ description: 'The program. Its first `at` calls must be the recorded ones.' }),
    answer: z.unknown().optional().meta({ description: 'Another answer to the call `at`.' }),
  })
  .meta({ id: 'Fork' });

const route = createRoute({
  method: 'post',
  path: '/executions/{id}/fork',
  operationId: 'forkExecution',
  summary: 'Run a program again from one of its calls',
  description:
    'Starts a new execution. It repeats the first calls of another one without sending them, and goes on from there. Closing the connection cancels it, unless it has an idempotency key.',
  request: {
    headers: z.object({ 'idempotency-key': z.string().optional() }),
    params: z.object({ id: z.string().max(128) }),
    query: userQuery,
    body: { required: true, content: { 'application/json': { schema: body } } },
  },
  responses: answers({ 200: { description: 'The result of the new execution', schema: executionResult } }),
  middleware: [accepts('application/json'), jsonBody()],
});

/** Adds `POST /executions/{id}/fork`. */
export function addForkRoute(
  api: HttpApi,
  { toolwright, limiter, idempotency }: RouteOptions & { readonly idempotency: Idempotency },
): void {
  const { executions } = toolwright;
  api.openapi(route, async (context) => {
    const principal = context.get('principal');
    const userId = userOf(principal, context.req.valid('query').userId);
    const { id } = context.req.valid('param');
    const { at, code, answer } = context.req.valid('json');
    const settings = { at, code, answer };
    const clientHeaders = clientHeadersOf(toolwright, context.req.raw.headers);
    const key = context.req.header('idempotency-key');
    const signal = key === undefined ? context.req.raw.signal : undefined;
    let mayHaveEffects = false;
    const repeatable: Repeatable<Record<string, unknown>> = {
      user: userId,
      key,
      request: ['fork', id, settings, clientHeaders],
      meanwhile: 'refuse',
      isStored: true,
      mayHaveEffects: () => mayHaveEffects,
      recover: (executionId) => recordedResult(executions, executionId, userId),
    };
    const { value, isReplay } = await idempotency.once(repeatable, async (executionId, beforeCall) => {
      const leave = limiter.enter('concurrentExecutions', principal);
      const onStart = () => {
        mayHaveEffects = true;
      };
      const more = { userId, clientHeaders, executionId, beforeCall, onStart, signal };
      const ended = await executions.fork(id, { ...settings, ...more }).finally(leave);
      const busy = busyProblem(ended);
      if (busy) {
        mayHaveEffects = ended.calls.length > at;
        throw busy;
      }
      return withoutHostPaths(ended);
    });
    if (isReplay) context.header('idempotent-replayed', 'true');
    return context.json(value, 200);
  });
}
