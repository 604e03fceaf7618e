import { ToolwrightError } from '@toolwright/core';
import type { Context } from 'hono';
import type { Task, TaskRequest, Tasks, TaskUsage } from '../../agent/task.ts';
import type { Principal } from '../../principal.ts';
import type { StreamPlaces } from '../../rate-limit/user-caps.ts';
import type { HttpApi, HttpEnv, RouteOptions } from '../api.ts';
import { resumePoint, streamTask } from '../events/task-events.ts';
import { EVENTS, type StreamLimits } from '../requests/event-stream.ts';
import type { Idempotency, Repeatable } from '../requests/idempotency/idempotency.ts';
import { parsePrefer } from '../requests/prefer.ts';
import { HttpProblem } from '../requests/problem.ts';
import { acceptsType } from '../requests/request-checks.ts';
import { userOf } from '../user.ts';
import { JSON_TYPE, taskRoutes } from './task-routes.ts';
import { taskView } from './task-view.ts';

interface TaskRouteOptions extends RouteOptions {
  readonly idempotency: Idempotency;
  /** Absent without a configured model: the routes then answer 501. */
  readonly tasks: Tasks | undefined;
  readonly streams: StreamLimits;
  readonly places: StreamPlaces;
}

interface Parts extends TaskRouteOptions {
  /** Returns the tasks. Raises a problem 501 without a model. */
  readonly open: () => Tasks;
  readonly begin: ReturnType<typeof quotaStarter>;
}

/** Starts or resumes a task within the quotas of its principal. `usedBefore` tokens are not charged again. */
type StartWithinQuota = (principal: Principal, usedBefore: number, start: () => Promise<Task>) => Promise<Task>;

/** Adds `POST /task` and the routes below `/tasks`. */
export function addTaskRoutes(api: HttpApi, options: TaskRouteOptions): void {
  const open = (): Tasks => {
    if (options.tasks) return options.tasks;
    const detail = 'This server runs no tasks: no model is configured. Configure a model, or use POST /execute.';
    throw new HttpProblem(501, 'NOT_SUPPORTED', detail);
  };
  const parts = { ...options, open, begin: quotaStarter(options, open) };
  addStartRoute(api, parts);
  addReadRoutes(api, parts);
  addControlRoutes(api, parts);
}

function addStartRoute(api: HttpApi, { open, begin, idempotency, logger, places, streams: limits }: Parts): void {
  api.openapi(taskRoutes.start, async (context) => {
    const { stream = false, sessionId, userId, limits: taskLimits, ...rest } = context.req.valid('json');
    const streams = wantsEvents(context.req.header('accept'), stream);
    const user = userOf(context.get('principal'), userId);
    // Without a place for the stream, the task must not start.
    if (streams) places.enter(user)();
    const request: TaskRequest = {
      ...rest,
      userId: user,
      sessionId,
      limits: taskLimits,
    };
    const repeatable: Repeatable<Task> = {
      user,
      key: context.req.header('idempotency-key'),
      request: ['task', request],
      // The transcript of the task is its record.
      meanwhile: 'wait',
      isStored: false,
      mayHaveEffects: () => false,
      recover: (id) => recordedTask(open(), id, user),
    };
    const { value: started, isReplay } = await idempotency.once(repeatable, (id, check) =>
      begin(context.get('principal'), 0, () => open().start(request, id, check)),
    );
    if (isReplay) context.header('idempotent-replayed', 'true');
    if (parsePrefer(context.req.header('prefer')).isAsync) {
      context.header('preference-applied', 'respond-async');
      return accepted(context, isReplay ? await open().get(started.id, user) : started);
    }
    context.header('location', `/tasks/${started.id}`);
    if (streams) {
      const leave = places.enter(user);
      return streamTask(context, { tasks: open(), id: started.id, user, after: 0, logger, limits, leave });
    }
    return context.json(
      taskView(await open().ended(started.id, { userId: user, signal: context.req.raw.signal })),
      200,
    );
  });
}

async function recordedTask(tasks: Tasks, id: string, user: string): Promise<{ readonly value: Task } | 'unknown'> {
  try {
    return { value: await tasks.get(id, user) };
  } catch (error) {
    if (error instanceof ToolwrightError && error.code === 'UNKNOWN_TASK') return 'unknown';
    throw error;
  }
}

function addReadRoutes(api: HttpApi, { open, logger, places, streams: limits }: Parts): void {
  api.openapi(taskRoutes.list, async (context) => {
    const { userId, sessionId, limit, cursor } = context.req.valid('query');
    const user = userOf(context.get('principal'), userId);
    const found = await open().list(user, { sessionId, limit, before: cursor });
    const last = found.length === limit ? found.at(-1)?.id : undefined;
    const next = last === undefined ? [] : await open().list(user, { sessionId, limit: 1, before: last });
    return context.json({ tasks: found.map(taskView), nextCursor: next.length > 0 ? last : undefined }, 200);
  });
  api.openapi(taskRoutes.get, async (context) => {
    const user = userOf(context.get('principal'), context.req.valid('query').userId);
    return context.json(taskView(await open().get(context.req.valid('param').id, user)), 200);
  });
  api.openapi(taskRoutes.events, async (context) => {
    const { userId, after } = context.req.valid('query');
    const user = userOf(context.get('principal'), userId);
    const { id } = await open().get(context.req.valid('param').id, user);
    const from = resumePoint(context.req.header('last-event-id'), after);
    const leave = places.enter(user);
    return streamTask(context, { tasks: open(), id, user, after: from, logger, limits, leave });
  });
}

function addControlRoutes(api: HttpApi, { open, begin }: Parts): void {
  api.openapi(taskRoutes.cancel, async (context) => {
    const user = userOf(context.get('principal'), context.req.valid('query').userId);
    return context.json(taskView(await open().cancel(context.req.valid('param').id, user)), 200);
  });
  api.openapi(taskRoutes.resume, async (context) => {
    const user = userOf(context.get('principal'), context.req.valid('query').userId);
    const { id } = context.req.valid('param');
    const { usage } = await open().get(id, user);
    return accepted(context, await begin(context.get('principal'), tokensOf(usage), () => open().resume(id, user)));
  });
}

function accepted(context: Context<HttpEnv>, started: Task) {
  return context.json(taskView(started), 202, { location: `/tasks/${started.id}` });
}

/** Returns whether a client wants the events of its task. Raises a problem 406 when it accepts neither type. */
function wantsEvents(accept: string | undefined, stream: boolean): boolean {
  if (stream || (accept !== undefined && acceptsType(accept, EVENTS) && !acceptsType(accept, JSON_TYPE))) return true;
  if (acceptsType(accept, JSON_TYPE)) return false;
  throw new HttpProblem(406, 'NOT_ACCEPTABLE', `The answer is ${JSON_TYPE} or ${EVENTS}. Accept one of them.`);
}

/**
 * Creates the function that starts tasks within quotas. It charges the tokens of a task when the task has ended, and
 * keeps the server open until then. Raises `QUOTA_EXCEEDED` and `STORE_UNAVAILABLE`.
 */
function quotaStarter({ admission, limiter, logger }: RouteOptions, tasks: () => Tasks): StartWithinQuota {
  return async (principal, usedBefore, start) => {
    await limiter.checkTokens(principal);
    const leave = limiter.enter('concurrentTasks', principal);
    try {
      const begun = await start();
      const charge = async () => {
        const { usage } = await tasks().ended(begun.id, { userId: begun.userId });
        await limiter.chargeTokens(principal, tokensOf(usage) - usedBefore);
      };
      admission.track(
        charge()
          .catch((error: unknown) =>
            logger.error({ taskId: begun.id, err: error }, 'the tokens of a task were not charged'),
          )
          .finally(leave),
      );
      return begun;
    } catch (error) {
      leave();
      throw error;
    }
  };
}

/** Returns the tokens of a task, input and output together. */
function tokensOf({ inputTokens, outputTokens }: TaskUsage): number {
  return inputTokens + outputTokens;
}
