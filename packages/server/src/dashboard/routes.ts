import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import type { HttpApi, HttpEnv } from '../http/api.ts';
import { HttpProblem } from '../http/requests/problem.ts';
import { type DashboardFiles, readDashboard } from './files.ts';
import { basePathOf, pageFor, policyOf } from './page.ts';

export interface DashboardOptions {
  /** The address at which browsers reach the server. Its path is the base of all links. */
  readonly publicUrl?: string | undefined;
}

/** Vite writes a hash of the content into the names. */
const FOREVER = 'public, max-age=31536000, immutable';
const NONCE_BYTES = 16;

/**
 * Adds the dashboard: its page at `/` and below `/ui`, and its files. They have no data and need no credential: the page
 * asks the API, which does.
 */
export function addDashboard(api: HttpApi, { publicUrl }: DashboardOptions): void {
  let read: DashboardFiles | undefined;
  const built = (): DashboardFiles => {
    read ??= readDashboard();
    if (read) return read;
    throw new HttpProblem(404, 'NOT_FOUND', 'The dashboard is not built. Run "npm run build". The API is at /docs.');
  };
  const publicPath = publicUrl === undefined ? undefined : new URL(publicUrl).pathname;
  const page = (context: Context<HttpEnv>): Response => {
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    const base = basePathOf(context.req.header('x-forwarded-prefix'), publicPath);
    return context.body(pageFor(built().page, base, nonce), 200, {
      'content-type': 'text/html; charset=UTF-8',
      'cache-control': 'no-store',
      'content-security-policy': policyOf(nonce),
    });
  };
  api.get('/', page);
  api.get('/ui', page);
  api.get('/ui/assets/:name', (context) => file(context, built()));
  api.get('/ui/icon.svg', (context) => file(context, built()));
  api.get('/ui/:screen{.+}', page);
}

async function file(context: Context<HttpEnv>, { files }: DashboardFiles): Promise<Response> {
  const found = files.get(context.req.path.slice(1));
  if (found === undefined) {
    throw new HttpProblem(
      404,
      'NOT_FOUND',
      'The dashboard has no such file. Reload the page: the server may be newer.',
    );
  }
  const isZipped = /\bgzip\b/.test(context.req.header('accept-encoding') ?? '');
  return context.body(isZipped ? await found.zipped : found.bytes, 200, {
    'content-type': found.type,
    'cache-control': FOREVER,
    vary: 'accept-encoding',
    ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
  });
}
