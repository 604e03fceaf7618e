import { createRoute } from '@hono/zod-openapi';
import type { ExecuteOptions, ExecutionResult } from '@toolwright/core';
import { executeRequestSchema } from '@toolwright/core/internal';
import * as z from 'zod';
import { answers, type HttpApi, type RouteOptions } from './api.ts';
import type { Idempotency } from './idempotency.ts';
import { jsonBody } from './json-body.ts';
import { HttpProblem, RETRY_AFTER_SECONDS } from './problem.ts';
import { accepts } from './request-checks.ts';
import { userOf } from './user.ts';

// `createSession` is for programs that chose the id themselves, so clients do not send it.
const body = executeRequestSchema
  .omit({ createSession: true, limits: true })
  .extend({
    limits: z
      .record(z.string().max(64), z.int().positive())
      .optional()
      .meta({ description: 'Lower limits than those of the server, such as timeoutMs and memoryBytes.' }),
  })
  .meta({ id: 'Execute' });

const result = z
  .looseObject({
    executionId: z.string(),
    id: z.string().meta({ deprecated: true, description: 'Use executionId.' }),
    status: z.enum(['completed', 'failed', 'stopped']),
    value: z.unknown().optional(),
    error: z.looseObject({ kind: z.string(), code: z.string(), name: z.string(), message: z.string() }).optional(),
    limit: z.enum(['timeout', 'memory', 'toolCalls', 'cancelled']).optional(),
    message: z.string().optional(),
    logs: z.array(z.looseObject({ level: z.string(), text: z.string() })),
    calls: z.array(z.looseObject({ number: z.int(), tool: z.string(), status: z.string() })),
    stats: z.looseObject({ sandbox: z.string(), totalMs: z.number(), toolCalls: z.int() }),
  })
  .meta({ id: 'ExecutionResult' });

const route = createRoute({
  method: 'post',
  path: '/execute',
  operationId: 'execute',
  summary: 'Run a program without a model',
  description: 'Answers 200 for every ended program: read `status`. Closing the connection cancels the program.',
  request: {
    headers: z.object({ 'idempotency-key': z.string().optional() }),
    body: { required: true, content: { 'application/json': { schema: body } } },
  },
  responses: answers({ 200: { description: 'The result', schema: result } }),
  middleware: [accepts('application/json'), jsonBody()],
});

/** Adds `POST /execute`. */
export function addExecuteRoute(api: HttpApi, options: RouteOptions & { readonly idempotency: Idempotency }): void {
  const { toolwright, admission, limiter, idempotency } = options;
  api.openapi(route, async (context) => {
    const { code, sessionId, userId, limits = {}, ...rest } = context.req.valid('json');
    const user = userOf(context.get('principal'), userId);
    if (code.trim() === '') {
      throw new HttpProblem(400, 'INVALID_REQUEST', '"code" is empty. Send a program, for example "return 1".');
    }
    requireWithin(limits, { ...toolwright.limits });
    const key = context.req.header('idempotency-key');
    const settings = withoutAbsent({ ...rest, limits, userId: user, sessionId }) as ExecuteOptions;
    // A client with an idempotency key may disconnect and fetch the answer later.
    const signal = key === undefined ? context.req.raw.signal : undefined;
    const request = ['execute', code, settings];
    const { value, isReplay } = await idempotency.once({ user, key, request, meanwhile: 'refuse' }, async () => {
      const leave = limiter.enter('concurrentExecutions', context.get('principal'));
      const ended = await toolwright.execute(code, { ...settings, ...(signal ? { signal } : {}) }).finally(leave);
      const problem = problemOfEnd(ended, admission.isDraining && signal?.aborted !== true);
      if (problem) throw problem;
      return resultView(ended);
    });
    if (isReplay) context.header('idempotent-replayed', 'true');
    return context.json(value, 200);
  });
}

/** Returns the problem 503 of a program that found no free sandbox or language worker, or that the shutdown of the server cancelled. */
function problemOfEnd(ended: ExecutionResult, isEnding: boolean): HttpProblem | undefined {
  const headers = { 'retry-after': `${RETRY_AFTER_SECONDS}` };
  const code = ended.status === 'failed' ? ended.error.code : undefined;
  if (ended.status === 'failed' && (code === 'BUSY' || code === 'LANGUAGE_SERVICE_BUSY')) {
    return new HttpProblem(503, code, ended.error.message, { headers });
  }
  if (ended.status !== 'stopped' || ended.limit !== 'cancelled' || !isEnding) return undefined;
  const detail = 'The server stopped before the program ended. Its earlier effects stay: see the calls in "execution".';
  return new HttpProblem(503, 'INTERRUPTED', detail, { headers, extensions: { execution: resultView(ended) } });
}

/** Returns a result as responses carry it: with both names of its id, without paths of this machine. */
function resultView(result: ExecutionResult): Record<string, unknown> {
  const named = { id: result.executionId, ...result };
  if (!('file' in result) || result.file === undefined) return { ...named };
  const { hostPath: _hostPath, ...file } = result.file;
  return { ...named, file };
}

function requireWithin(asked: Readonly<Record<string, number>>, limits: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(asked)) {
    const most = Object.hasOwn(limits, name) ? limits[name] : undefined;
    if (most === undefined) {
      const known = Object.keys(limits).join(', ');
      throw new HttpProblem(422, 'INVALID_REQUEST', `Unknown limit "${name}". The limits are: ${known}.`);
    }
    if (value > most)
      throw new HttpProblem(422, 'INVALID_REQUEST', `limits.${name} is ${value}, the limit of this server is ${most}.`);
  }
}

function withoutAbsent(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
