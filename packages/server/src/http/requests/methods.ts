import type { Context } from 'hono';
import type { HttpApi, HttpEnv } from '../api.ts';
import { HttpProblem } from './problem.ts';

/** Returns the handler of requests without a route: it raises 405 with `Allow` for a known path, else 404. */
export function noRoute(api: HttpApi): (context: Context<HttpEnv>) => never {
  let routes: readonly { readonly method: string; readonly pattern: RegExp }[] | undefined;
  return ({ req }) => {
    routes ??= api.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => ({ method, pattern: patternOf(path) }));
    const methods = new Set(routes.filter(({ pattern }) => pattern.test(req.path)).map(({ method }) => method));
    if (methods.size === 0) {
      throw new HttpProblem(404, 'NOT_FOUND', 'There is no such path. GET /openapi.json lists all paths.');
    }
    if (methods.has('GET')) methods.add('HEAD');
    const allow = [...methods].sort().join(', ');
    throw new HttpProblem(405, 'METHOD_NOT_ALLOWED', `This path allows only ${allow}.`, { headers: { allow } });
  };
}

function patternOf(path: string): RegExp {
  const source = path.replaceAll(/:\w+\{([^}]+)\}/g, '$1').replaceAll(/:\w+/g, '[^/]+');
  return new RegExp(`^${source}$`);
}
