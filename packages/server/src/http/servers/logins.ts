import { createRoute } from '@hono/zod-openapi';
import * as z from 'zod';
import { serverNamed } from '../admin/admin.ts';
import { answers, type HttpApi, type RouteOptions, userQuery } from '../api.ts';
import { accepts } from '../requests/request-checks.ts';
import { userOf } from '../user.ts';

const JSON_TYPE = 'application/json';
const params = z.object({ name: z.string().min(1).max(256) });
const common = { middleware: [accepts(JSON_TYPE)] };

const routes = {
  list: createRoute({
    ...common,
    method: 'get',
    path: '/logins',
    operationId: 'listLogins',
    summary: 'List the logins of the user to servers',
    request: { query: userQuery },
    responses: answers({
      200: {
        description: 'The servers that may require a login',
        schema: z.object({
          logins: z.array(z.object({ server: z.string(), state: z.enum(['none', 'authorized', 'expired']) })),
        }),
      },
    }),
  }),
  start: createRoute({
    ...common,
    method: 'post',
    path: '/servers/{name}/login',
    operationId: 'startLogin',
    summary: 'Start a login of the user to a server',
    description: 'Open the link in a browser. It is for this user only, can be used once, and ends after 10 minutes.',
    request: { params, query: userQuery },
    responses: answers({
      200: {
        description: 'The link',
        schema: z.object({ server: z.string(), url: z.string(), expiresAt: z.string() }).meta({ id: 'LoginLink' }),
      },
    }),
  }),
  end: createRoute({
    ...common,
    method: 'delete',
    path: '/servers/{name}/login',
    operationId: 'endLogin',
    summary: 'Log the user out of a server',
    request: { params, query: userQuery },
    responses: answers({
      200: {
        description: 'Logged out',
        schema: z.object({
          isRevoked: z.boolean().meta({ description: 'Whether the issuer has revoked the tokens.' }),
        }),
      },
    }),
  }),
};

/** Adds the routes by which a user logs in to servers. */
export function addLoginRoutes(api: HttpApi, { toolwright }: RouteOptions): void {
  const { logins } = toolwright;
  const nameOf = async (name: string) => (await serverNamed(toolwright, name)).name;
  api.openapi(routes.list, async (context) => {
    const userId = userOf(context.get('principal'), context.req.valid('query').userId);
    return context.json({ logins: [...(await logins.list({ userId }))] }, 200);
  });
  api.openapi(routes.start, async (context) => {
    const userId = userOf(context.get('principal'), context.req.valid('query').userId);
    const { server, url, expiresAtMs } = await logins.start(await nameOf(context.req.valid('param').name), { userId });
    return context.json({ server, url, expiresAt: new Date(expiresAtMs).toISOString() }, 200);
  });
  api.openapi(routes.end, async (context) => {
    const userId = userOf(context.get('principal'), context.req.valid('query').userId);
    const { isRevoked } = await logins.logOut(await nameOf(context.req.valid('param').name), { userId });
    return context.json({ isRevoked }, 200);
  });
}
