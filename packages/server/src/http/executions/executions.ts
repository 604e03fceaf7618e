import { createRoute } from '@hono/zod-openapi';
import type { ExecutionCall, ExecutionRecord } from '@toolwright/core';
import { DEFAULT_PAGE_CALLS, MAX_PAGE_CALLS } from '@toolwright/core/internal';
import * as z from 'zod';
import { answers, type HttpApi, type RouteOptions, userQuery } from '../api.ts';
import { accepts } from '../requests/request-checks.ts';
import { userOf } from '../user.ts';
import { withExecutionId } from './execution-id.ts';
import { executionCall, executionSummary } from './execution-schemas.ts';
import { shownValues } from './shown-values.ts';

const JSON_TYPE = 'application/json';
const execution = executionSummary
  .extend({
    source: z.string(),
    value: z.unknown().optional().meta({ description: 'The redacted result, where the journal has it.' }),
    error: z.looseObject({ kind: z.string(), code: z.string(), name: z.string(), message: z.string() }).optional(),
    limit: z.string().optional().meta({ description: 'The limit that stopped the execution.' }),
    message: z.string().optional(),
    decision: z
      .object({ action: z.string(), at: z.string(), by: z.string().optional(), note: z.string().optional() })
      .optional()
      .meta({ description: 'The decision about a dry run.' }),
    file: z.looseObject({ path: z.string(), bytes: z.int() }).optional(),
    logs: z.array(z.looseObject({ level: z.string(), text: z.string() })).optional(),
    stats: z.looseObject({ sandbox: z.string(), totalMs: z.number(), toolCalls: z.int() }).optional(),
  })
  .meta({ id: 'Execution' });

const params = z.object({ id: z.string().max(128) });
/** Parts of the routes that answer with one execution. */
const one = { request: { params, query: userQuery }, middleware: [accepts(JSON_TYPE)] };

const routes = {
  get: createRoute({
    request: { params, query: userQuery.extend({ values: shownValues }) },
    middleware: [accepts(JSON_TYPE)],
    method: 'get',
    path: '/executions/{id}',
    operationId: 'getExecution',
    summary: 'Get an execution, its program and its result',
    responses: answers({ 200: { description: 'The execution', schema: execution } }),
  }),
  calls: createRoute({
    method: 'get',
    path: '/executions/{id}/calls',
    operationId: 'listExecutionCalls',
    summary: 'List the tool calls of an execution',
    request: {
      params,
      query: userQuery.extend({
        values: shownValues,
        after: z.coerce.number().int().min(0).default(0).meta({ description: 'Number of the last known call.' }),
        limit: z.coerce.number().int().min(1).max(MAX_PAGE_CALLS).default(DEFAULT_PAGE_CALLS),
      }),
    },
    responses: answers({ 200: { description: 'A page', schema: z.object({ calls: z.array(executionCall) }) } }),
    middleware: [accepts(JSON_TYPE)],
  }),
  cancel: createRoute({
    ...one,
    method: 'post',
    path: '/executions/{id}/cancel',
    operationId: 'cancelExecution',
    summary: 'Cancel a running or suspended execution',
    description: 'The execution ends a moment later. Answers 409 `EXECUTION_ENDED` when it has ended.',
    responses: answers({ 202: { description: 'The execution', schema: execution } }),
  }),
  remove: createRoute({
    method: 'delete',
    path: '/executions/{id}',
    operationId: 'removeExecution',
    summary: 'Delete an execution that has ended, with its journal and its files',
    description: 'Answers 409 `EXECUTION_RUNNING` when it has not ended: cancel it first.',
    request: { params, query: userQuery },
    responses: answers({ 204: { description: 'Deleted' } }),
  }),
};

/** Adds the routes of one execution. */
export function addExecutionRoutes(api: HttpApi, { toolwright, logger }: RouteOptions): void {
  const { executions } = toolwright;
  api.openapi(routes.get, async (context) => {
    const principal = context.get('principal');
    const { userId, values } = context.req.valid('query');
    const user = userOf(principal, userId, 'executions:decide');
    const { id } = context.req.valid('param');
    const found = await executions.get(id, user, { values });
    if (values === 'real')
      logger.info({ executionId: id, user, by: principal }, 'real values of an execution were shown');
    return context.json(executionView(found), 200);
  });
  api.openapi(routes.calls, async (context) => {
    const { userId, ...page } = context.req.valid('query');
    const principal = context.get('principal');
    const user = userOf(principal, userId, 'executions:decide');
    const { id } = context.req.valid('param');
    const calls: ExecutionCall[] = await executions.calls(id, user, page);
    if (page.values === 'real')
      logger.info({ executionId: id, user, by: principal }, 'real values of calls were shown');
    return context.json({ calls }, 200);
  });
  api.openapi(routes.cancel, async (context) => {
    const user = userOf(context.get('principal'), context.req.valid('query').userId);
    return context.json(executionView(await executions.cancel(context.req.valid('param').id, user)), 202);
  });
  api.openapi(routes.remove, async (context) => {
    const user = userOf(context.get('principal'), context.req.valid('query').userId);
    await executions.remove(context.req.valid('param').id, user);
    return context.body(null, 204);
  });
}

/** Returns an execution as responses carry it: with the parts of its result. Its calls have a path of their own. */
function executionView({ result, ...found }: ExecutionRecord): Record<string, unknown> {
  if (result === undefined) return withExecutionId(found);
  const { executionId: _id, status: _status, calls: _calls, ...rest } = result;
  return { ...rest, ...withExecutionId(found) };
}
