import type { MiddlewareHandler } from 'hono';
import { isViewer } from '../principal.ts';
import type { HttpEnv } from './api.ts';
import { HttpProblem } from './requests/problem.ts';

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Requests of other methods that send and change nothing. */
const READING = [/^\/policy\/test$/, /^\/executions\/[^/]+\/replay$/];
const MCP = '/mcp';

/**
 * Refuses every request of a viewer that may change or decide something, with a problem 403. A route that is added later is refused too,
 * unless its method is safe. An MCP client is refused as a whole, because a model runs programs there.
 */
export function refuseChanges(): MiddlewareHandler<HttpEnv> {
  return async (context, next) => {
    const { method, path } = context.req;
    const reads = path !== MCP && (SAFE.has(method) || READING.some((place) => place.test(path)));
    if (reads || !isViewer(context.get('principal'))) return next();
    const detail =
      'A viewer may only read: this key or token has the scope "executions:read". Use a key without this scope: "toolwright keys create --user NAME".';
    throw new HttpProblem(403, 'FORBIDDEN', detail);
  };
}
