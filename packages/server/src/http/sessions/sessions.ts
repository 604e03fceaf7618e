import { createRoute } from '@hono/zod-openapi';
import type { Toolwright } from '@toolwright/core';
import * as z from 'zod';
import { answers, type HttpApi, type RouteOptions, userQuery } from '../api.ts';
import { jsonBody } from '../requests/json-body.ts';
import { accepts } from '../requests/request-checks.ts';
import { userOf } from '../user.ts';

const JSON_TYPE = 'application/json';
const body = z.strictObject({ userId: z.string().min(1).max(256).optional() }).meta({ id: 'SessionRequest' });
const session = z
  .object({ sessionId: z.string(), userId: z.string(), createdAt: z.string(), lastUsedAt: z.string() })
  .meta({ id: 'Session' });
const entry = z.looseObject({
  at: z.string(),
  executionId: z.string(),
  status: z.string(),
  ms: z.number(),
});
const DEFAULT_PAGE = 50;
const MAX_PAGE = 200;
const page = userQuery.extend({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE),
  before: z.string().max(128).optional().meta({ description: 'Id of the last session of the previous page.' }),
});
const params = z.object({ id: z.string().max(128) });

const routes = {
  create: createRoute({
    method: 'post',
    path: '/sessions',
    operationId: 'createSession',
    summary: 'Create a session: files and a log that programs share',
    request: { body: { required: true, content: { [JSON_TYPE]: { schema: body } } } },
    responses: answers({ 201: { description: 'The session', schema: session } }),
    middleware: [accepts(JSON_TYPE), jsonBody()],
  }),
  list: createRoute({
    method: 'get',
    path: '/sessions',
    operationId: 'listSessions',
    summary: 'List the sessions of the user, last used first',
    request: { query: page },
    responses: answers({ 200: { description: 'A page', schema: z.object({ sessions: z.array(session) }) } }),
    middleware: [accepts(JSON_TYPE)],
  }),
  get: createRoute({
    method: 'get',
    path: '/sessions/{id}',
    operationId: 'getSession',
    summary: 'Get a session and the log of its executions',
    request: { params, query: userQuery },
    responses: answers({
      200: {
        description: 'The session',
        schema: session.extend({ executions: z.array(entry) }).meta({ id: 'SessionLog' }),
      },
    }),
    middleware: [accepts(JSON_TYPE)],
  }),
  remove: createRoute({
    method: 'delete',
    path: '/sessions/{id}',
    operationId: 'removeSession',
    summary: 'Delete a session with its files and its log',
    request: { params, query: userQuery },
    responses: answers({ 204: { description: 'Deleted' } }),
  }),
};

/** Adds `/sessions`, without their files. */
export function addSessionRoutes(api: HttpApi, { toolwright }: RouteOptions): void {
  const { sessions } = toolwright;
  api.openapi(routes.create, async (context) => {
    const user = userOf(context.get('principal'), context.req.valid('json').userId);
    const created = await sessions.create({ userId: user });
    return context.json(view(created), 201, { location: `/sessions/${created.id}` });
  });
  api.openapi(routes.list, async (context) => {
    const { userId, limit, before } = context.req.valid('query');
    const found = await sessions.list({ userId: userOf(context.get('principal'), userId), limit, before });
    return context.json({ sessions: found.map(view) }, 200);
  });
  api.openapi(routes.get, async (context) => {
    const user = userOf(context.get('principal'), context.req.valid('query').userId);
    const found = await sessions.get(context.req.valid('param').id, { userId: user });
    const log = await sessions.log(found.id, { userId: user });
    const executions = log.map(({ execution, ...run }) => ({ executionId: execution, ...run }));
    return context.json({ ...view(found), executions }, 200);
  });
  api.openapi(routes.remove, async (context) => {
    const user = userOf(context.get('principal'), context.req.valid('query').userId);
    await sessions.remove(context.req.valid('param').id, { userId: user });
    return context.body(null, 204);
  });
}

function view({
  id,
  userId,
  createdAt,
  lastUsedAt,
}: Awaited<ReturnType<Toolwright['sessions']['get']>>): z.infer<typeof session> {
  return { sessionId: id, userId, createdAt, lastUsedAt };
}
