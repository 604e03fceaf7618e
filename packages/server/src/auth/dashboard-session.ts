import { createRoute } from '@hono/zod-openapi';
import type { Toolwright } from '@toolwright/core';
import * as z from 'zod';
import { addressOf } from '../auth.ts';
import { answers, type HttpApi } from '../http/api.ts';
import { jsonBody } from '../http/requests/json-body.ts';
import { localPath } from '../http/requests/local-path.ts';
import { accepts } from '../http/requests/request-checks.ts';
import { mayNameOthers } from '../http/user.ts';
import { type BrowserSession, isViewer, LOCAL_PRINCIPAL, type Principal, SCOPES } from '../principal.ts';
import type { RateLimiter } from '../rate-limit.ts';
import { VERSION } from '../version.ts';
import type { BrowserLogin } from './browser-login.ts';

const JSON_TYPE = 'application/json';
const PATH = '/dashboard/session';
const secret = z.string().min(1).max(8_192);
const sent = z.union([
  z.strictObject({
    key: secret.meta({ description: 'An API key, or a token of the issuer.' }),
    returnTo: z.string().max(2_048).optional(),
  }),
  z.strictObject({
    token: secret.meta({ description: 'The secret of a link of `toolwright dashboard`. It is valid once.' }),
    returnTo: z.string().max(2_048).optional(),
  }),
]);
const session = z
  .object({
    user: z.string(),
    name: z.string().optional().meta({ description: 'A name to show, from the token. It identifies nobody.' }),
    roles: z.array(z.enum(['viewer', 'approver', 'admin'])),
    scopes: z.array(z.string()),
    allUsers: z.boolean().meta({ description: 'Whether the data of all users may be read: `all=true`.' }),
    by: z.enum(['key', 'token', 'link', 'provider', 'local']),
    expiresAt: z.string().optional(),
    features: z.object({
      tasks: z.boolean(),
      admin: z.boolean(),
      pins: z.enum(['off', 'warn', 'block']),
      keys: z.boolean(),
    }),
    version: z.string(),
  })
  .meta({ id: 'DashboardSession' });

const routes = {
  start: createRoute({
    method: 'post',
    path: PATH,
    operationId: 'startDashboardSession',
    summary: 'Log in with a browser',
    description:
      'Sets the cookie `__Host-toolwright`. This request and every write with the cookie need the `Origin` of this server and the header ' +
      '`x-toolwright-dashboard: 1`. Answers 401 for a wrong key, and for a link that was used or has expired.',
    request: { body: { required: true, content: { [JSON_TYPE]: { schema: sent } } } },
    responses: answers({
      200: {
        description: 'The session',
        schema: session.extend({
          returnTo: z.string().meta({ description: 'A path of this server; `/` for anything else.' }),
        }),
      },
    }),
    middleware: [accepts(JSON_TYPE), jsonBody()],
  }),
  get: createRoute({
    method: 'get',
    path: PATH,
    operationId: 'getDashboardSession',
    summary: 'Get the user of the browser, with roles and features',
    responses: answers({ 200: { description: 'The session', schema: session } }),
    middleware: [accepts(JSON_TYPE)],
  }),
  end: createRoute({
    method: 'delete',
    path: PATH,
    operationId: 'endDashboardSession',
    summary: 'Log out with a browser',
    responses: answers({
      200: {
        description: 'The session has ended. The browser logs out at the OpenID provider too, at this address',
        schema: z.object({ url: z.string() }),
      },
      204: { description: 'The session has ended' },
    }),
  }),
};

export interface DashboardSessionOptions {
  readonly toolwright: Toolwright;
  readonly login: BrowserLogin;
  readonly limiter: RateLimiter;
  readonly hasTasks: boolean;
}

/** Adds the login and the logout of browsers. Both need no other credential. */
export function addDashboardLogin(api: HttpApi, options: DashboardSessionOptions): void {
  const { login, limiter } = options;
  api.openapi(routes.start, async (context) => {
    await limiter.unauthenticated(addressOf(context));
    const { returnTo, ...credential } = context.req.valid('json');
    const started = await login.start(context, credential);
    return context.json({ ...viewOf(started.principal, started, options), returnTo: localPath(returnTo) }, 200);
  });
  api.openapi(routes.end, async (context) => {
    const url = await login.end(context);
    return url === undefined ? context.body(null, 204) : context.json({ url }, 200);
  });
}

/** Adds the description of the session, for authenticated requests. */
export function addDashboardSession(api: HttpApi, options: DashboardSessionOptions): void {
  api.openapi(routes.get, (context) =>
    context.json(viewOf(context.get('principal'), context.get('browserSession'), options), 200),
  );
}

type Role = z.infer<typeof session>['roles'][number];

function viewOf(principal: Principal, started: BrowserSession | undefined, options: DashboardSessionOptions) {
  const { scopes = [], credential, user, name } = principal;
  const isLocal = credential === LOCAL_PRINCIPAL.credential;
  const mayChange = !isViewer(principal);
  const isAdmin = mayChange && scopes.includes('servers:admin');
  const other = isLocal ? 'local' : credential.startsWith('jwt:') ? 'token' : 'key';
  return {
    user,
    name,
    // Users decide about their own executions.
    roles: ['viewer', ...(mayChange ? ['approver'] : []), ...(isAdmin ? ['admin'] : [])] as Role[],
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    allUsers: mayNameOthers(principal, 'executions:decide'),
    by: started?.by ?? (other as 'local' | 'token' | 'key'),
    expiresAt: started?.expiresAt,
    features: { tasks: options.hasTasks, admin: isAdmin, pins: options.toolwright.pins.mode, keys: !isLocal },
    version: VERSION,
  };
}
