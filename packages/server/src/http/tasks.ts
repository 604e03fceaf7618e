import { createRoute } from '@hono/zod-openapi';
import { LANGUAGE_NAMES } from '@toolwright/sandbox';
import type { Context } from 'hono';
import * as z from 'zod';
import type { Task, TaskLimits, Tasks, TaskUsage } from '../agent/task.ts';
import type { Principal } from '../principal.ts';
import { answers, type HttpApi, type HttpEnv, type RouteOptions, userQuery } from './api.ts';
import type { Idempotency } from './idempotency.ts';
import { jsonBody } from './json-body.ts';
import { HttpProblem } from './problem.ts';
import { accepts, acceptsType } from './request-checks.ts';
import { resumePoint, type StreamLimits, streamTask } from './task-events.ts';
import { taskSchema, taskView } from './task-view.ts';
import { userOf } from './user.ts';

const EVENTS = 'text/event-stream';
const JSON_TYPE = 'application/json';
const DEFAULT_PAGE = 50;
const MAX_PAGE = 200;
const MAX_TASK_CHARACTERS = 200_000;

const body = z
  .strictObject({
    task: z.string().trim().min(1).max(MAX_TASK_CHARACTERS).meta({ description: 'What is to be done.' }),
    userId: z.string().min(1).max(256).optional(),
    sessionId: z.string().max(64).optional().meta({ description: 'Session to continue, with all that was said.' }),
    model: z.string().min(1).max(256).optional().meta({ example: 'anthropic/claude-sonnet-4-5' }),
    language: z.enum(LANGUAGE_NAMES).optional(),
    sandbox: z.string().min(1).max(64).optional().meta({ description: 'Sandbox of its programs, never replaced.' }),
    limits: z
      .strictObject({
        steps: z.int().positive(),
        tokens: z.int().positive(),
        costUsd: z.number().positive(),
        timeMs: z.int().positive(),
      })
      .partial()
      .optional(),
    stream: z.boolean().optional().meta({ description: 'Answer with events; the same as Accept: text/event-stream.' }),
  })
  .meta({ id: 'TaskRequest' });

const params = z.object({ id: z.string().max(128) });
const task = { description: 'The task', schema: taskSchema };
/** What is asked of one task, and answered with it. */
const oneTask = { request: { params, query: userQuery }, middleware: [accepts(JSON_TYPE)] };
const stream = { description: 'Events, each with its number as id', schema: z.string(), type: EVENTS };

const routes = {
  start: createRoute({
    method: 'post',
    path: '/task',
    operationId: 'startTask',
    summary: 'Have a task done',
    description:
      'Answers when the task has ended; with `Accept: text/event-stream` with its events as they happen; with ' +
      '`Prefer: respond-async` at once. A client that goes away ends nothing.',
    request: {
      headers: z.object({ 'idempotency-key': z.string().optional(), prefer: z.string().optional() }),
      body: { required: true, content: { [JSON_TYPE]: { schema: body } } },
    },
    responses: answers({ 200: { ...task, description: 'The task, which has ended' }, 202: task }),
    middleware: [jsonBody()],
  }),
  list: createRoute({
    method: 'get',
    path: '/tasks',
    operationId: 'listTasks',
    summary: 'The tasks of the user, newest first',
    request: {
      query: userQuery.extend({
        limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE),
        before: z.string().max(128).optional().meta({ description: 'Id of the last task of the page before.' }),
      }),
    },
    responses: answers({ 200: { description: 'A page', schema: z.object({ tasks: z.array(taskSchema) }) } }),
    middleware: [accepts(JSON_TYPE)],
  }),
  get: createRoute({
    ...oneTask,
    method: 'get',
    path: '/tasks/{id}',
    operationId: 'getTask',
    summary: 'How a task stands',
    responses: answers({ 200: task }),
  }),
  events: createRoute({
    method: 'get',
    path: '/tasks/{id}/events',
    operationId: 'watchTask',
    summary: 'What happens in a task, from any event on',
    request: {
      params,
      query: userQuery.extend({ after: z.coerce.number().int().min(0).optional() }),
      headers: z.object({ 'last-event-id': z.string().optional() }),
    },
    responses: answers({ 200: stream }),
    middleware: [accepts(EVENTS)],
  }),
  cancel: createRoute({
    ...oneTask,
    method: 'post',
    path: '/tasks/{id}/cancel',
    operationId: 'cancelTask',
    summary: 'End a task; one that has ended stays as it is',
    responses: answers({ 200: task }),
  }),
  resume: createRoute({
    ...oneTask,
    method: 'post',
    path: '/tasks/{id}/resume',
    operationId: 'resumeTask',
    summary: 'Go on with a task that was interrupted',
    responses: answers({ 202: task }),
  }),
};

/** Adds `POST /task` and what is below `/tasks`. Without `tasks`, where no model is configured, they answer 501. */
export function addTaskRoutes(
  api: HttpApi,
  options: RouteOptions & {
    readonly idempotency: Idempotency;
    readonly tasks: Tasks | undefined;
    readonly streams: StreamLimits;
  },
): void {
  const { idempotency, admission, limiter, logger, streams: limits } = options;
  const tasks = (): Tasks => {
    if (options.tasks) return options.tasks;
    throw new HttpProblem(
      501,
      'NOT_SUPPORTED',
      'This server runs no tasks: no model is configured. See POST /execute.',
    );
  };
  const accepted = (context: Context<HttpEnv>, started: Task) =>
    context.json(taskView(started), 202, { location: `/tasks/${started.id}` });
  /**
   * Begins a task for who may have one more. The server ends after it, and its tokens are charged when it has ended:
   * those that it has used since it began, or went on.
   */
  const begin = async (principal: Principal, usedBefore: number, start: () => Promise<Task>): Promise<Task> => {
    await limiter.checkTokens(principal);
    const leave = limiter.enter('concurrentTasks', principal);
    try {
      const begun = await start();
      const charge = async () => {
        const { usage } = await tasks().ended(begun.id, { user: begun.user });
        await limiter.chargeTokens(principal, tokensOf(usage) - usedBefore);
      };
      admission.track(
        charge()
          .catch((error: unknown) =>
            logger.error({ task: begun.id, err: error }, 'the tokens of a task were not charged'),
          )
          .finally(leave),
      );
      return begun;
    } catch (error) {
      leave();
      throw error;
    }
  };

  api.openapi(routes.start, async (context) => {
    const { stream: wantsStream = false, sessionId, userId, limits: taskLimits, ...rest } = context.req.valid('json');
    const accept = context.req.header('accept');
    const streams =
      wantsStream || (accept !== undefined && acceptsType(accept, EVENTS) && !acceptsType(accept, JSON_TYPE));
    if (!streams && !acceptsType(accept, JSON_TYPE)) {
      throw new HttpProblem(406, 'NOT_ACCEPTABLE', `The answer is ${JSON_TYPE} or ${EVENTS}.`);
    }
    const user = userOf(context.get('principal'), userId);
    const request = {
      ...(rest as { task: string }),
      user,
      ...(sessionId === undefined ? {} : { session: sessionId }),
      ...(taskLimits === undefined ? {} : { limits: taskLimits as Partial<TaskLimits> }),
    };
    const repeatable = { user, key: context.req.header('idempotency-key'), request: ['task', request] };
    const { value: started, isReplay } = await idempotency.once({ ...repeatable, meanwhile: 'wait' }, () =>
      begin(context.get('principal'), 0, () => tasks().start(request)),
    );
    if (isReplay) context.header('idempotent-replayed', 'true');
    if (/(^|,)\s*respond-async\b/i.test(context.req.header('prefer') ?? '')) {
      context.header('preference-applied', 'respond-async');
      return accepted(context, isReplay ? await tasks().get(started.id, user) : started);
    }
    context.header('location', `/tasks/${started.id}`);
    if (streams) return streamTask(context, { tasks: tasks(), id: started.id, user, after: 0, logger, limits });
    return context.json(taskView(await tasks().ended(started.id, { user, signal: context.req.raw.signal })), 200);
  });

  api.openapi(routes.list, async (context) => {
    const { userId, limit, before } = context.req.valid('query');
    const page = { limit, ...(before === undefined ? {} : { before }) };
    const found = await tasks().list(userOf(context.get('principal'), userId), page);
    return context.json({ tasks: found.map(taskView) }, 200);
  });
  const whose = (context: Context<HttpEnv>, userId: string | undefined) => userOf(context.get('principal'), userId);
  api.openapi(routes.get, async (context) => {
    const user = whose(context, context.req.valid('query').userId);
    return context.json(taskView(await tasks().get(context.req.valid('param').id, user)), 200);
  });
  api.openapi(routes.events, async (context) => {
    const { userId, after } = context.req.valid('query');
    const user = whose(context, userId);
    const { id } = await tasks().get(context.req.valid('param').id, user);
    const from = resumePoint(context.req.header('last-event-id'), after);
    return streamTask(context, { tasks: tasks(), id, user, after: from, logger, limits });
  });
  api.openapi(routes.cancel, async (context) => {
    const user = whose(context, context.req.valid('query').userId);
    return context.json(taskView(await tasks().cancel(context.req.valid('param').id, user)), 200);
  });
  api.openapi(routes.resume, async (context) => {
    const user = whose(context, context.req.valid('query').userId);
    const { id } = context.req.valid('param');
    const { usage } = await tasks().get(id, user);
    const resumed = await begin(context.get('principal'), tokensOf(usage), () => tasks().resume(id, user));
    return accepted(context, resumed);
  });
}

function tokensOf({ inputTokens, outputTokens }: TaskUsage): number {
  return inputTokens + outputTokens;
}
