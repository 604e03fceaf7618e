import { createRoute } from '@hono/zod-openapi';
import { SINK_KINDS, withoutHostPaths } from '@toolwright/core/internal';
import * as z from 'zod';
import { deciderOf } from '../../principal.ts';
import { answers, type HttpApi, type RouteOptions, userQuery } from '../api.ts';
import { clientHeadersOf } from '../client-headers.ts';
import { shownValues } from '../executions/shown-values.ts';
import { accepts } from '../requests/request-checks.ts';
import { userOf } from '../user.ts';

const JSON_TYPE = 'application/json';
const MAX_NOTE_CHARACTERS = 4_000;
const MAX_DECIDED_CALLS = 1_000;
const MAX_BINDING_CHARACTERS = 256;

/** The subject of a question. */
export const questionKind = z.enum(['approval', 'outcome', 'input', 'authorization']).meta({
  description:
    '`outcome`: the call was sent before a crash, and it is unknown whether it took effect. `input`: the server asks something. `authorization`: the server needs a login.',
});

/** A decision about a question. */
export const decisionAction = z
  .enum(['approve', 'deny', 'result', 'resend', 'fail', 'answer', 'decline', 'cancel', 'authorize'])
  .meta({
    description:
      'Of an approval: `approve` or `deny`. Of an unknown outcome: `result` with its `value`, `resend` or `fail`. Of an input: `answer` with its `value`, `decline` or `cancel`. Of an authorization: `authorize` or `fail`.',
  });

/** The reason of a decision. */
export const decisionNote = z
  .string()
  .max(MAX_NOTE_CHARACTERS)
  .optional()
  .meta({ description: 'The reason, for the program.' });

/** The origin of an argument in words. */
export const originSchema = z
  .object({
    argument: z.string().meta({ description: 'Path of the argument.', example: 'to[0]' }),
    kind: z.enum(SINK_KINDS),
    from: z.string().meta({ example: 'from web__fetch, call 3, in body; the request does not mention it' }),
    isSuspicious: z.boolean().meta({ description: 'Whether a public or unknown value decides what the call affects.' }),
  })
  .meta({ id: 'ArgumentOrigin' });

/** An open question. */
export const questionSchema = z
  .object({
    call: z.int().meta({ description: 'Number of the tool call.' }),
    question: z.int().optional().meta({ description: 'Number of the question within its call, from 2.' }),
    kind: questionKind,
    tool: z.string(),
    rule: z.string().optional().meta({ description: 'The rule of the policy that asks.' }),
    origins: z.array(originSchema).readonly().optional().meta({
      description: 'Where the arguments came from, suspicious ones first. Only for a policy that depends on it.',
    }),
    arguments: z.unknown().meta({ description: 'Redacted, unless real ones were requested. Show them as data.' }),
    details: z.unknown().optional().meta({
      description:
        'The question of the server, or the server and the link of its login. Redacted as the arguments are.',
    }),
    binding: z.string().meta({
      description: 'Code of this question: of the user, the tool, the real arguments and the real details.',
    }),
    askedAt: z.string().optional(),
    expiresAt: z.string(),
  })
  .meta({ id: 'Question' });
const decision = z
  .strictObject({
    action: decisionAction,
    calls: z
      .array(z.int().positive())
      .min(1)
      .max(MAX_DECIDED_CALLS)
      .optional()
      .meta({ description: 'Default: all open questions.' }),
    question: z.int().positive().optional().meta({
      description: 'With one call: the number of its question. Default: the last one.',
    }),
    covers: z
      .strictObject({
        next: z.int().positive().meta({ description: 'The most further calls of the same tool.' }),
        arguments: z.unknown().optional().meta({ description: 'A JSON Schema of their real arguments.' }),
      })
      .optional(),
    always: z
      .strictObject({
        arguments: z.union([z.enum(['exact', 'targets', 'any']), z.record(z.string(), z.unknown())]).meta({
          description:
            '`exact`: the same arguments. `targets`: the same receivers, places, records and choices, and no larger amounts. `any`. Or a JSON Schema of the real arguments.',
        }),
        expiresAt: z.string().max(40).optional(),
      })
      .optional()
      .meta({ description: 'The approval lasts for later executions, until the definition of the tool changes.' }),
    note: decisionNote,
    value: z.unknown().optional(),
    bindings: z.array(z.string().max(MAX_BINDING_CHARACTERS)).max(MAX_DECIDED_CALLS).optional().meta({
      description:
        'Bindings of the questions that the person saw. Answers 409 `QUESTION_CHANGED` when one has changed.',
    }),
  })
  .meta({ id: 'Decision' });

const lastingDecision = z
  .object({
    id: z.string(),
    tool: z.string(),
    arguments: z.enum(['exact', 'targets', 'any', 'schema']),
    by: z.string(),
    at: z.string(),
    expiresAt: z.string().optional(),
  })
  .meta({ id: 'LastingDecision' });

const params = z.object({ id: z.string().max(128) });
/** Parts of all routes. */
const common = { middleware: [accepts(JSON_TYPE)] };

const routes = {
  questions: createRoute({
    ...common,
    method: 'get',
    path: '/executions/{id}/questions',
    operationId: 'listQuestions',
    summary: 'List the open questions of an execution',
    request: { params, query: userQuery.extend({ arguments: shownValues }) },
    responses: answers({
      200: { description: 'The questions', schema: z.object({ questions: z.array(questionSchema) }) },
    }),
  }),
  decide: createRoute({
    ...common,
    method: 'post',
    path: '/executions/{id}/decisions',
    operationId: 'decideQuestions',
    summary: 'Decide about open questions, or about a dry run',
    description:
      'A dry run is approved or denied as a whole. For a person, or a program of yours. Never give a model this route. Answers 409 `ALREADY_DECIDED` or `QUESTION_CHANGED`.',
    request: { params, query: userQuery, body: { required: true, content: { [JSON_TYPE]: { schema: decision } } } },
    responses: answers({ 200: { description: 'The decided calls', schema: z.object({ calls: z.array(z.int()) }) } }),
  }),
  lasting: createRoute({
    ...common,
    method: 'get',
    path: '/lasting-decisions',
    operationId: 'listLastingDecisions',
    summary: 'List the approvals that last',
    request: { query: userQuery },
    responses: answers({
      200: { description: 'The decisions, oldest first', schema: z.object({ decisions: z.array(lastingDecision) }) },
    }),
  }),
  revoke: createRoute({
    ...common,
    method: 'delete',
    path: '/lasting-decisions/{id}',
    operationId: 'revokeLastingDecision',
    summary: 'Revoke an approval that lasts',
    request: { params, query: userQuery },
    responses: answers({ 200: { description: 'The revoked decision', schema: lastingDecision } }),
  }),
  resume: createRoute({
    ...common,
    method: 'post',
    path: '/executions/{id}/resume',
    operationId: 'resumeExecution',
    summary: 'Continue a suspended or interrupted execution',
    description: 'Answers when it has ended or is suspended again. It goes on if the client disconnects.',
    request: { params, query: userQuery },
    responses: answers({ 200: { description: 'The result', schema: z.looseObject({ status: z.string() }) } }),
  }),
};

/** Adds the questions and decisions of `/executions`. */
export function addDecisionRoutes(api: HttpApi, { toolwright, limiter, logger }: RouteOptions): void {
  const { executions } = toolwright;
  api.openapi(routes.questions, async (context) => {
    const principal = context.get('principal');
    const { userId, arguments: shown } = context.req.valid('query');
    const user = userOf(principal, userId, 'executions:decide');
    const { id } = context.req.valid('param');
    const questions = await executions.questions(id, user, { arguments: shown });
    if (shown === 'real')
      logger.info({ executionId: id, user, by: principal }, 'real arguments of open questions were shown');
    return context.json({ questions: [...questions] }, 200);
  });
  api.openapi(routes.decide, async (context) => {
    const principal = context.get('principal');
    const userId = userOf(principal, context.req.valid('query').userId, 'executions:decide');
    const { calls: given, question: nth, covers, always, note, bindings, ...rest } = context.req.valid('json');
    const calls = await executions.decide(context.req.valid('param').id, {
      ...rest,
      userId,
      by: deciderOf(principal),
      calls: given,
      question: nth,
      covers,
      always,
      note,
      bindings,
    });
    return context.json({ calls: [...calls] }, 200);
  });
  api.openapi(routes.lasting, async (context) => {
    const user = userOf(context.get('principal'), context.req.valid('query').userId, 'executions:decide');
    return context.json({ decisions: [...(await toolwright.lastingDecisions.list(user))] }, 200);
  });
  api.openapi(routes.revoke, async (context) => {
    const principal = context.get('principal');
    const user = userOf(principal, context.req.valid('query').userId, 'executions:decide');
    const revoked = await toolwright.lastingDecisions.revoke(user, context.req.valid('param').id);
    logger.info({ user, decision: revoked.id, tool: revoked.tool, by: principal }, 'a lasting decision was revoked');
    return context.json(revoked, 200);
  });
  api.openapi(routes.resume, async (context) => {
    const principal = context.get('principal');
    const userId = userOf(principal, context.req.valid('query').userId);
    const leave = limiter.enter('concurrentExecutions', principal);
    const clientHeaders = clientHeadersOf(toolwright, context.req.raw.headers);
    const resumed = executions.resume(context.req.valid('param').id, { userId, clientHeaders });
    return context.json(withoutHostPaths(await resumed.finally(leave)), 200);
  });
}
