import { setTimeout as sleep } from 'node:timers/promises';
import { createRoute, type RouteHandler } from '@hono/zod-openapi';
import type { ExecuteOptions, ExecutionResult } from '@toolwright/core';
import { executeRequestSchema, withoutHostPaths } from '@toolwright/core/internal';
import * as z from 'zod';
import { booleanField, countField, languageField } from '../../code-tools/clear-values.ts';
import { answers, type HttpApi, type HttpEnv, type RouteOptions } from '../api.ts';
import { clientHeadersOf } from '../client-headers.ts';
import type { Idempotency, Repeatable } from '../requests/idempotency/idempotency.ts';
import { jsonBody } from '../requests/json-body.ts';
import { parsePrefer } from '../requests/prefer.ts';
import { HttpProblem, RETRY_AFTER_SECONDS } from '../requests/problem.ts';
import { accepts } from '../requests/request-checks.ts';
import { userOf } from '../user.ts';
import { recordedResult } from './execution-result.ts';

const { check, dryRun } = executeRequestSchema.shape;
// `createSession` is for programs that chose the id themselves, so clients do not send it.
const body = executeRequestSchema
  .omit({ createSession: true, limits: true })
  .extend({
    language: languageField.optional(),
    check: booleanField.optional().meta({ ...check.meta() }),
    dryRun: booleanField.optional().meta({ ...dryRun.meta() }),
    limits: z
      .record(z.string().max(64), countField)
      .optional()
      .meta({ description: 'Lower limits than those of the server, such as timeoutMs and memoryBytes.' }),
  })
  .meta({ id: 'Execute' });

/** The result of an execution, for clients. */
export const executionResult = z
  .looseObject({
    executionId: z.string(),
    status: z.enum(['completed', 'failed', 'stopped', 'suspended', 'interrupted']).meta({
      description: '`interrupted`: a repeated request, whose first execution ended with the process of the server.',
    }),
    value: z.unknown().optional(),
    error: z.looseObject({ kind: z.string(), code: z.string(), name: z.string(), message: z.string() }).optional(),
    limit: z.enum(['timeout', 'memory', 'toolCalls', 'cancelled']).optional(),
    message: z.string().optional(),
    logs: z.array(z.looseObject({ level: z.string(), text: z.string() })),
    calls: z.array(z.looseObject({ number: z.int(), tool: z.string(), status: z.string() })),
    dryRun: z
      .looseObject({
        calls: z.array(
          z.looseObject({
            number: z.int(),
            tool: z.string(),
            arguments: z.unknown(),
            action: z.enum(['allow', 'ask', 'deny']),
            rule: z.string(),
            isInvented: z.boolean(),
          }),
        ),
      })
      .optional()
      .meta({ description: 'The calls of a dry run, for the person who approves it.' }),
    stats: z.looseObject({ sandbox: z.string(), totalMs: z.number(), toolCalls: z.int() }).optional(),
    links: z.object({ execution: z.string(), calls: z.string() }).optional(),
  })
  .meta({ id: 'ExecutionResult' });

const accepted = z
  .object({
    executionId: z.string(),
    status: z.literal('running'),
    links: z.object({ execution: z.string(), calls: z.string() }),
  })
  .meta({ id: 'AcceptedExecution' });

const route = createRoute({
  method: 'post',
  path: '/execute',
  operationId: 'execute',
  summary: 'Run a program without a model',
  description:
    'Answers 200 for every ended program: read `status`. Closing the connection cancels the program, unless it answers later.',
  request: {
    headers: z.object({
      'idempotency-key': z.string().optional(),
      prefer: z.string().optional().meta({
        description: '`respond-async` answers 202 when the program has started, or after `wait=N` seconds (RFC 7240).',
        example: 'respond-async, wait=10',
      }),
    }),
    body: { required: true, content: { 'application/json': { schema: body } } },
  },
  responses: answers({
    200: { description: 'The result', schema: executionResult },
    202: {
      description: 'The program runs. `Location` is the path of its execution. Only with `Prefer: respond-async`.',
      schema: accepted,
    },
  }),
  middleware: [accepts('application/json'), jsonBody()],
});

type ExecuteContext = Parameters<RouteHandler<typeof route, HttpEnv>>[0];

/** Adds `POST /execute`. */
export function addExecuteRoute(api: HttpApi, options: ExecuteRouteOptions): void {
  api.openapi(route, async (context) => {
    const { isAsync, waitMs } = parsePrefer(context.req.header('prefer'));
    const { outcome, started } = startExecution(context, options, isAsync);
    // The client looks the execution up, also when it fails after the answer.
    if (isAsync) outcome.catch(() => undefined);
    const first = isAsync
      ? Promise.race([outcome, sleep(waitMs, undefined, { ref: false }).then(() => started)])
      : outcome;
    const answer = await first;
    if (typeof answer === 'string') {
      const place = `/executions/${answer}`;
      const links = { execution: place, calls: `${place}/calls` };
      context.header('preference-applied', 'respond-async');
      return context.json({ executionId: answer, status: 'running' as const, links }, 202, {
        location: place,
      });
    }
    if (answer.isReplay) context.header('idempotent-replayed', 'true');
    return context.json(answer.value, 200);
  });
}

interface ExecuteRouteOptions extends RouteOptions {
  readonly idempotency: Idempotency;
}

/** Starts the program of a request. `started` resolves to its id when its record exists. */
function startExecution(context: ExecuteContext, options: ExecuteRouteOptions, isAsync: boolean) {
  const { toolwright, admission, limiter, idempotency } = options;
  const { code, sessionId, userId, limits = {}, ...rest } = context.req.valid('json');
  const user = userOf(context.get('principal'), userId);
  if (code.trim() === '') {
    throw new HttpProblem(400, 'INVALID_REQUEST', '"code" is empty. Send a program, for example "return 1".');
  }
  requireWithin(limits, { ...toolwright.limits });
  const key = context.req.header('idempotency-key');
  const settings = withoutAbsent({ ...rest, limits, userId: user, sessionId }) as ExecuteOptions;
  const clientHeaders = clientHeadersOf(toolwright, context.req.raw.headers);
  // A client with an idempotency key, or one that does not wait, may disconnect and fetch the answer later.
  const signal = key === undefined && !isAsync ? context.req.raw.signal : undefined;
  let mayHaveEffects = false;
  let cut: HttpProblem | undefined;
  let onStart: (executionId: string) => void = () => undefined;
  const started = new Promise<string>((resolve) => {
    onStart = resolve;
  });
  const repeatable: Repeatable<Record<string, unknown>> = {
    user,
    key,
    request: ['execute', code, settings, clientHeaders],
    meanwhile: 'refuse',
    isStored: true,
    mayHaveEffects: () => mayHaveEffects,
    recover: (id) => recordedResult(toolwright.executions, id, user),
  };
  const run = async (executionId: string, beforeCall: () => void) => {
    const leave = limiter.enter('concurrentExecutions', context.get('principal'));
    const noteStart = (id: string) => {
      mayHaveEffects = true;
      onStart(id);
    };
    const priority = isAsync ? ('background' as const) : ('interactive' as const);
    const more = { ...settings, clientHeaders, executionId, priority, beforeCall, onStart: noteStart, signal };
    const ended = await toolwright.execute(code, more).finally(leave);
    const busy = busyProblem(ended);
    if (busy) {
      mayHaveEffects = ended.calls.length > 0;
      throw busy;
    }
    if (admission.isDraining && signal?.aborted !== true) cut = cutProblem(ended);
    return withoutHostPaths(ended);
  };
  const outcome = idempotency.once(repeatable, run).then((answer) => {
    if (cut) throw cut;
    return answer;
  });
  return { outcome, started };
}

/** Returns the problem 503 of a program that found no free sandbox or language worker. */
export function busyProblem(ended: ExecutionResult): HttpProblem | undefined {
  const code = ended.status === 'failed' ? ended.error.code : undefined;
  if (ended.status !== 'failed' || (code !== 'BUSY' && code !== 'LANGUAGE_SERVICE_BUSY')) return undefined;
  return new HttpProblem(503, code, ended.error.message, { headers: { 'retry-after': `${RETRY_AFTER_SECONDS}` } });
}

/** Returns the problem 503 of a program that the shutdown of the server cancelled. */
function cutProblem(ended: ExecutionResult): HttpProblem | undefined {
  if (ended.status !== 'stopped' || ended.limit !== 'cancelled') return undefined;
  const headers = { 'retry-after': `${RETRY_AFTER_SECONDS}` };
  const detail = 'The server stopped before the program ended. Its earlier effects stay: see the calls in "execution".';
  return new HttpProblem(503, 'INTERRUPTED', detail, { headers, extensions: { execution: withoutHostPaths(ended) } });
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
