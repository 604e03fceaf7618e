import type { Context } from 'hono';
import * as z from 'zod';
import type { RemoteExecutions } from '../remote/executions.ts';
import type { HttpApi, HttpEnv } from './api.ts';
import { jsonBody } from './json-body.ts';
import { HttpProblem } from './problem.ts';
import { accepts } from './request-checks.ts';

const claim = z.object({ executionId: z.string().max(64), sessionId: z.string().max(64).optional() });
const call = claim.extend({ tool: z.string().max(512), args: z.record(z.string(), z.unknown()).default({}) }).strict();
const tools = claim.extend({ name: z.string().max(512).optional(), query: z.string().max(1_000).optional() }).strict();

/**
 * Adds what guests of sandboxes without a pipe call: a tool, and what tools there are. The bridge of the execution
 * answers, with its limits, its journal and its policy. A tool's refusal is `{ok: false, error}`, as over a pipe.
 */
export function addInternalRoutes(api: HttpApi, remote: RemoteExecutions): void {
  const body = [accepts('application/json'), jsonBody()] as const;
  api.post('/internal/mcp-call', ...body, async (context) => {
    const { tool, args, ...claimed } = await read(context, call);
    return answer(context, remote, claimed, ['call', tool, args]);
  });
  api.post('/internal/tools', ...body, async (context) => {
    const { name, query, ...claimed } = await read(context, tools);
    if (name !== undefined) return answer(context, remote, claimed, ['details', name]);
    return answer(context, remote, claimed, query === undefined ? ['list'] : ['search', query]);
  });
}

async function answer(
  context: Context<HttpEnv>,
  remote: RemoteExecutions,
  { executionId, sessionId }: z.infer<typeof claim>,
  request: readonly unknown[],
): Promise<Response> {
  const token = /^Bearer ([\w-]{1,256})$/.exec(context.req.header('authorization') ?? '')?.[1] ?? '';
  const answered = await remote.request({ token, execution: executionId, session: sessionId }, request);
  if (!answered) {
    const headers = { 'www-authenticate': 'Bearer' };
    throw new HttpProblem(401, 'UNAUTHENTICATED', 'The token is not that of a running execution.', { headers });
  }
  // The payload is JSON text of the bridge, which goes on as it is.
  const text = `{"ok":${answered.ok},"${answered.ok ? 'value' : 'error'}":${answered.payload}}`;
  return context.body(text, 200, { 'content-type': 'application/json' });
}

async function read<T>(context: Context<HttpEnv>, schema: z.ZodType<T>): Promise<T> {
  const parsed = schema.safeParse(await context.req.json());
  if (parsed.success) return parsed.data;
  throw new HttpProblem(422, 'INVALID_REQUEST', z.prettifyError(parsed.error).slice(0, 1_000));
}
