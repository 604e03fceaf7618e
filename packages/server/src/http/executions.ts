import { createRoute } from '@hono/zod-openapi';
import type { ExecutionCall, ExecutionRecord, ExecutionSummary } from '@toolwright/core';
import {
  DEFAULT_PAGE_CALLS,
  DEFAULT_PAGE_EXECUTIONS,
  MAX_PAGE_CALLS,
  MAX_PAGE_EXECUTIONS,
} from '@toolwright/core/internal';
import * as z from 'zod';
import { answers, type HttpApi, type RouteOptions, userQuery } from './api.ts';
import { withExecutionId } from './execution-id.ts';
import { accepts } from './request-checks.ts';
import { userOf } from './user.ts';

const JSON_TYPE = 'application/json';
const status = z.enum(['running', 'suspended', 'completed', 'failed', 'stopped', 'cancelled', 'interrupted']).meta({
  description:
    '`interrupted`: the process of the server ended before the execution. Within a day, a server continues it from its journal.',
});
const waitKind = z.enum(['approval', 'input', 'authorization', 'outcome', 'timer']);
const summary = z
  .object({
    executionId: z.string(),
    id: z.string().meta({ deprecated: true, description: 'Use executionId.' }),
    status,
    language: z.string(),
    sandbox: z.string(),
    isDryRun: z.literal(true).optional(),
    sessionId: z.string().optional(),
    forkedFrom: z.object({ id: z.string(), at: z.int() }).optional().meta({
      description: 'The execution whose first calls this one repeats, and the last of them.',
    }),
    startedAt: z.string(),
    endedAt: z.string().optional(),
    waitingFor: z.array(waitKind).readonly().optional(),
    wakeAt: z.string().optional().meta({ description: 'When a suspended execution goes on without a decision.' }),
  })
  .meta({ id: 'ExecutionSummary' });
const execution = summary
  .extend({
    source: z.string(),
    value: z.unknown().optional().meta({ description: 'The redacted result, where the journal has it.' }),
    error: z.looseObject({ kind: z.string(), code: z.string(), name: z.string(), message: z.string() }).optional(),
    limit: z.string().optional().meta({ description: 'The limit that stopped the execution.' }),
    message: z.string().optional(),
    file: z.looseObject({ path: z.string(), bytes: z.int() }).optional(),
    logs: z.array(z.looseObject({ level: z.string(), text: z.string() })).optional(),
    stats: z.looseObject({ sandbox: z.string(), totalMs: z.number(), toolCalls: z.int() }).optional(),
  })
  .meta({ id: 'Execution' });
const call = z
  .object({
    number: z.int(),
    tool: z.string(),
    outcome: z.enum(['answered', 'failed', 'pending', 'unknown']).meta({
      description: '`unknown`: sent and not answered, so it may have taken effect.',
    }),
    startedAt: z.string(),
    endedAt: z.string().optional(),
    argumentBytes: z.int(),
    arguments: z.unknown().optional().meta({ description: 'Redacted. Absent over 16 KiB.' }),
    isInvented: z.literal(true).optional().meta({ description: 'A call of a dry run that was not sent.' }),
    resultBytes: z.int().optional(),
    result: z.unknown().optional().meta({ description: 'Result or error, redacted. Absent over 16 KiB.' }),
  })
  .meta({ id: 'ExecutionCall' });

const params = z.object({ id: z.string().max(128) });
/** Parts of the routes that answer with one execution. */
const one = { request: { params, query: userQuery }, middleware: [accepts(JSON_TYPE)] };

const routes = {
  list: createRoute({
    method: 'get',
    path: '/executions',
    operationId: 'listExecutions',
    summary: 'List the executions of the user, newest first',
    description: 'A filter can make a page short: there are more executions while the answer has a `nextCursor`.',
    request: {
      query: userQuery.extend({
        status: status.optional(),
        sessionId: z.string().max(64).optional(),
        limit: z.coerce.number().int().min(1).max(MAX_PAGE_EXECUTIONS).default(DEFAULT_PAGE_EXECUTIONS),
        cursor: z
          .string()
          .regex(/^\d{13}\.[\da-f-]{36}$/, 'Pass the "nextCursor" of the previous page.')
          .optional(),
      }),
    },
    responses: answers({
      200: {
        description: 'A page',
        schema: z.object({ executions: z.array(summary), nextCursor: z.string().optional() }),
      },
    }),
    middleware: [accepts(JSON_TYPE)],
  }),
  get: createRoute({
    ...one,
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
        after: z.coerce.number().int().min(0).default(0).meta({ description: 'Number of the last known call.' }),
        limit: z.coerce.number().int().min(1).max(MAX_PAGE_CALLS).default(DEFAULT_PAGE_CALLS),
      }),
    },
    responses: answers({ 200: { description: 'A page', schema: z.object({ calls: z.array(call) }) } }),
    middleware: [accepts(JSON_TYPE)],
  }),
  cancel: createRoute({
    ...one,
    method: 'post',
    path: '/executions/{id}/cancel',
    operationId: 'cancelExecution',
    summary: 'Cancel a running execution',
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

/** Adds `/executions`. */
export function addExecutionRoutes(api: HttpApi, { toolwright }: RouteOptions): void {
  const { executions } = toolwright;
  api.openapi(routes.list, async (context) => {
    const { userId, ...filter } = context.req.valid('query');
    const page = await executions.list({
      ...filter,
      userId: userOf(context.get('principal'), userId, 'executions:decide'),
    });
    return context.json({ ...page, executions: page.executions.map(summaryView) }, 200);
  });
  api.openapi(routes.get, async (context) => {
    const user = userOf(context.get('principal'), context.req.valid('query').userId, 'executions:decide');
    return context.json(executionView(await executions.get(context.req.valid('param').id, user)), 200);
  });
  api.openapi(routes.calls, async (context) => {
    const { userId, ...page } = context.req.valid('query');
    const user = userOf(context.get('principal'), userId, 'executions:decide');
    const calls: ExecutionCall[] = await executions.calls(context.req.valid('param').id, user, page);
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

function summaryView(found: ExecutionSummary): z.infer<typeof summary> {
  return withExecutionId(found);
}

/** Returns an execution as responses carry it: with the parts of its result. Its calls have a path of their own. */
function executionView({ result, ...found }: ExecutionRecord): Record<string, unknown> {
  if (result === undefined) return withExecutionId(found);
  const { executionId: _id, status: _status, calls: _calls, ...rest } = result;
  return { ...rest, ...withExecutionId(found) };
}
