import { ToolwrightError } from '@toolwright/core';
import type { Context, MiddlewareHandler } from 'hono';
import type { Task, Tasks } from '../../agent/task.ts';
import { authInfoOf } from '../../auth.ts';
import type { HttpApi, HttpEnv, RouteOptions } from '../../http/api.ts';
import { HttpProblem } from '../../http/requests/problem.ts';
import type { McpEndpoint } from '../endpoint.ts';

/**
 * Passes the requests of a key with a profile to routes whose Toolwright knows nothing else. `create` returns the application of a profile,
 * and `addRoutes` adds its routes. So no route has to think of profiles, and none can forget them.
 */
export function routesByProfile(
  create: (profile: string) => HttpApi,
  addRoutes: (api: HttpApi, profile: string) => void,
): MiddlewareHandler<HttpEnv> {
  const apis = new Map<string, HttpApi>();
  const callers = new WeakMap<Request, Context<HttpEnv>['var']>();
  const open = (profile: string): HttpApi => {
    const api = create(profile);
    api.use(async (context, next) => {
      const caller = Object.entries(callers.get(context.req.raw) ?? {});
      for (const [name, value] of caller) context.set(name as 'principal', value as never);
      await next();
    });
    addRoutes(api, profile);
    apis.set(profile, api);
    return api;
  };
  return async (context, next) => {
    const { profile } = context.get('principal');
    if (profile === undefined) return next();
    callers.set(context.req.raw, context.var);
    return (apis.get(profile) ?? open(profile)).fetch(context.req.raw, context.env);
  };
}

/** Adds `/mcp`, and `/mcp/NAME` with the profile of this name. */
export function addMcp(
  api: HttpApi,
  { toolwright, endpoint }: RouteOptions & { readonly endpoint: McpEndpoint },
): void {
  api.all('/mcp', ({ req, get }) => endpoint.fetch(req.raw, { authInfo: authInfoOf(get('principal')) }));
  api.all('/mcp/:profile', ({ req, get }) => {
    const principal = get('principal');
    const profile = req.param('profile');
    const known = toolwright.profiles().find(({ name }) => name === profile);
    if (principal.profile !== undefined && principal.profile !== profile) {
      const detail = `This key has the profile "${principal.profile}", and cannot choose another one. Use /mcp.`;
      throw new HttpProblem(403, 'FORBIDDEN', detail);
    }
    if (!known) {
      const names = toolwright.profiles().map(({ name }) => name);
      const detail = `There is no profile "${profile.slice(0, 64)}". The profiles are: ${names.join(', ') || 'none'}.`;
      throw new HttpProblem(404, 'NOT_FOUND', detail);
    }
    if (known.problem !== undefined) throw new ToolwrightError('CONFIG_INVALID', known.problem);
    return endpoint.fetch(req.raw, { authInfo: authInfoOf({ ...principal, profile }) });
  });
}

/** Returns the tasks of a profile: those that its clients start. Others of the same user are unknown. */
export function tasksInProfile(tasks: Tasks, profile: string): Tasks {
  const isOwn = (task: Task) => task.profile === profile;
  const own = async (id: string, userId: string | undefined) => {
    const task = await tasks.get(id, userId);
    if (isOwn(task)) return task;
    throw new ToolwrightError('UNKNOWN_TASK', `There is no task "${id.slice(0, 64)}".`);
  };
  return {
    ...tasks,
    start: (request, ...more) => tasks.start({ ...request, profile }, ...more),
    get: own,
    list: async (userId, page) => (await tasks.list(userId, page)).filter(isOwn),
    cancel: (id, userId) => own(id, userId).then(() => tasks.cancel(id, userId)),
    resume: (id, userId) => own(id, userId).then(() => tasks.resume(id, userId)),
    async *events(id, options) {
      await own(id, options?.userId);
      yield* tasks.events(id, options);
    },
    ended: (id, options) => own(id, options?.userId).then(() => tasks.ended(id, options)),
    [Symbol.asyncDispose]: () => tasks[Symbol.asyncDispose](),
  };
}
