import { createRoute } from '@hono/zod-openapi';
import { NAMING_UNKNOWN, withoutHostPaths } from '@toolwright/core/internal';
import * as z from 'zod';
import { requireAdmin } from '../admin/admin.ts';
import { answers, documentRoute, type HttpApi, type RouteOptions, userQuery } from '../api.ts';
import { clientHeadersOf } from '../client-headers.ts';
import { jsonBody } from '../requests/json-body.ts';
import { accepts } from '../requests/request-checks.ts';
import { userOf } from '../user.ts';

const JSON_TYPE = 'application/json';
const body = z
  .strictObject(
    {
      arguments: z.record(z.string(), z.unknown()).default({}),
      sessionId: z.string().max(64).optional(),
      dryRun: z.literal(true).optional().meta({ description: 'Whether the call is only rehearsed: nothing is sent.' }),
    },
    NAMING_UNKNOWN,
  )
  .meta({ id: 'ToolCall' });

const route = createRoute({
  method: 'post',
  path: '/tools/{name}/call',
  operationId: 'callTool',
  summary: 'Try a tool',
  description:
    'Runs a program with this one call: under the policy, with redaction, a journal and a place in the list of executions. Needs a key or ' +
    'token with the scope `servers:admin`.',
  request: {
    params: z.object({ name: z.string().max(256) }),
    query: userQuery,
    body: { required: true, content: { [JSON_TYPE]: { schema: body } } },
  },
  responses: answers({ 200: { description: 'The result', schema: z.looseObject({ status: z.string() }) } }),
  middleware: [accepts(JSON_TYPE), jsonBody()],
});

/** Adds `/tools/{name}/call`. */
export function addToolCall(api: HttpApi, { toolwright, limiter, logger }: RouteOptions): void {
  documentRoute(api, route);
  api.openapi({ ...route, path: '/tools/:name{[^]+}/call', hide: true }, async (context) => {
    const principal = context.get('principal');
    requireAdmin(principal);
    const userId = userOf(principal, context.req.valid('query').userId);
    const { name } = context.req.valid('param');
    const { arguments: args, ...options } = context.req.valid('json');
    // An unknown tool is an answer 404, and no failed execution.
    await toolwright.describe(name, 'signature', { userId });
    const code = `return await callMCPTool(${JSON.stringify(name)}, ${JSON.stringify(args)})`;
    const leave = limiter.enter('concurrentExecutions', principal);
    const { sessionId, dryRun } = options;
    const result = await toolwright
      .execute(code, {
        userId,
        language: 'typescript' as const,
        check: false,
        signal: context.req.raw.signal,
        sessionId,
        dryRun: dryRun || undefined,
        clientHeaders: clientHeadersOf(toolwright, context.req.raw.headers),
      })
      .finally(leave);
    logger.info({ tool: name, executionId: result.executionId, by: principal }, 'a tool was tried');
    return context.json(withoutHostPaths(result), 200);
  });
}
