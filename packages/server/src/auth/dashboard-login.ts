import { createRoute } from '@hono/zod-openapi';
import * as z from 'zod';
import { addressOf } from '../auth.ts';
import { answers, type HttpApi } from '../http/api.ts';
import { jsonBody } from '../http/requests/json-body.ts';
import { localPath } from '../http/requests/local-path.ts';
import { escaped, PAGE_HEADERS, plainPage } from '../http/requests/plain-page.ts';
import { HttpProblem } from '../http/requests/problem.ts';
import { accepts } from '../http/requests/request-checks.ts';
import type { DashboardSessionOptions } from './dashboard-session.ts';
import { CALLBACK_PATH } from './provider-login.ts';

const JSON_TYPE = 'application/json';
const PATH = '/dashboard/login';
const provider = z.object({ name: z.string().meta({ description: 'For the button "Log in with NAME".' }) });

const routes = {
  get: createRoute({
    method: 'get',
    path: PATH,
    operationId: 'getDashboardLogin',
    summary: 'Get the ways to log in with a browser',
    responses: answers({
      200: {
        description: 'The OpenID provider of the configuration, if there is one. A key or token is always possible',
        schema: z.object({ provider: provider.optional() }),
      },
    }),
    middleware: [accepts(JSON_TYPE)],
  }),
  start: createRoute({
    method: 'post',
    path: PATH,
    operationId: 'startDashboardLogin',
    summary: 'Start a login at the OpenID provider',
    description:
      'Sets the cookie `__Host-toolwright-login` for 10 minutes. Needs the `Origin` of this server and the header `x-toolwright-dashboard: 1`. ' +
      'The provider leads the browser back to `/dashboard/login/callback`. Answers 501 without a provider.',
    request: {
      body: {
        required: true,
        content: {
          [JSON_TYPE]: {
            schema: z.strictObject({
              returnTo: z
                .string()
                .max(2_048)
                .optional()
                .meta({ description: 'The path of the page after the login, below that of the server.' }),
            }),
          },
        },
      },
    },
    responses: answers({
      200: { description: 'The address at the provider, for this browser', schema: z.object({ url: z.string() }) },
    }),
    middleware: [accepts(JSON_TYPE), jsonBody()],
  }),
};

/** Adds the login at an OpenID provider, and the page to which it leads the browser back. They need no other credential. */
export function addProviderLogin(api: HttpApi, { login, limiter }: DashboardSessionOptions): void {
  api.openapi(routes.get, async (context) => {
    await limiter.unauthenticated(addressOf(context));
    const { name } = login.provider ?? {};
    return context.json(name === undefined ? {} : { provider: { name } }, 200);
  });
  api.openapi(routes.start, async (context) => {
    await limiter.unauthenticated(addressOf(context));
    const { returnTo } = context.req.valid('json');
    return context.json({ url: await providerOf(login).begin(context, localPath(returnTo)) }, 200);
  });
  // Not in the description of the API: only browsers come here.
  api.get(`/${CALLBACK_PATH}`, async (context) => {
    await limiter.unauthenticated(addressOf(context));
    try {
      return context.redirect(await providerOf(login).finish(context), 303);
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error;
      const back = '<p><a href="../../">Back to the login</a></p>';
      return context.html(plainPage(escaped(error.message), back), error.status as 401 | 501 | 503, PAGE_HEADERS);
    }
  });
}

function providerOf({ provider }: DashboardSessionOptions['login']): NonNullable<typeof provider> {
  if (provider) return provider;
  const detail = 'This server has no OpenID provider. Log in with a key, or set "auth.oidc" in its configuration.';
  throw new HttpProblem(501, 'NOT_SUPPORTED', detail);
}
