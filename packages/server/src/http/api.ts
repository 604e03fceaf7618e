import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono, RouteConfig } from '@hono/zod-openapi';
import type { Logger, Toolwright } from '@toolwright/core';
import * as z from 'zod';
import type { BrowserSession, PrincipalEnv } from '../principal.ts';
import type { Admission } from '../rate-limit/admission.ts';
import type { RateLimiter } from '../rate-limit.ts';

/** Values that middlewares set for routes. */
export interface HttpEnv {
  readonly Bindings: Partial<HttpBindings>;
  readonly Variables: PrincipalEnv['Variables'] & {
    requestId: string;
    /** The login of the browser, for requests with its cookie. */
    browserSession?: BrowserSession;
  };
}

/** The web application that routes are added to. */
export type HttpApi = OpenAPIHono<HttpEnv>;

/** Options of all routes. */
export interface RouteOptions {
  readonly toolwright: Toolwright;
  readonly admission: Admission;
  readonly limiter: RateLimiter;
  readonly logger: Logger;
}

const problem: z.ZodType = z
  .looseObject({
    type: z.string().meta({ description: 'urn:toolwright:error:<code>' }),
    title: z.string(),
    status: z.int(),
    code: z.string().meta({ description: 'Stable; match on it.' }),
    detail: z.string(),
    instance: z.string().meta({ description: 'Id of the request, as in X-Request-Id and the log.' }),
  })
  .meta({ id: 'Problem' });

/** Returns the responses of a route, with the problem that every route may return. */
export function answers(
  by: Readonly<Record<number, { readonly description: string; readonly schema?: z.ZodType; readonly type?: string }>>,
): RouteConfig['responses'] {
  const entries = Object.entries(by).map(([status, { description, schema, type = 'application/json' }]) => [
    status,
    schema ? { description, content: { [type]: { schema } } } : { description },
  ]);
  return {
    ...Object.fromEntries(entries),
    default: { description: 'The error', content: { 'application/problem+json': { schema: problem } } },
  };
}

/** Adds a route to the documentation only. Its handler has a path in which a name may have slashes. */
export function documentRoute({ openAPIRegistry }: HttpApi, { middleware: _middleware, ...route }: RouteConfig): void {
  openAPIRegistry.registerPath(route);
}

/** The query parameter by which local clients choose the user. */
export const userQuery: z.ZodObject<{ userId: z.ZodOptional<z.ZodString> }> = z.object({
  userId: z.string().min(1).max(256).optional(),
});
