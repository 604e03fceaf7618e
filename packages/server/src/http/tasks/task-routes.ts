import { createRoute } from '@hono/zod-openapi';
import * as z from 'zod';
import { taskLimitsSchema } from '../../agent/limits.ts';
import { taskRequestSchema } from '../../agent/request.ts';
import { MAX_PAGE_TASKS } from '../../agent/task-lookup.ts';
import { booleanField, languageField } from '../../code-tools/clear-values.ts';
import { answers, userQuery } from '../api.ts';
import { EVENTS } from '../requests/event-stream.ts';
import { jsonBody } from '../requests/json-body.ts';
import { accepts } from '../requests/request-checks.ts';
import { taskSchema } from './task-view.ts';

export const JSON_TYPE = 'application/json';
const DEFAULT_PAGE = 50;

const body = taskRequestSchema
  .extend({
    language: languageField.optional(),
    limits: taskLimitsSchema.optional(),
    stream: booleanField.optional().meta({ description: 'Answer with events, as Accept: text/event-stream does.' }),
  })
  .meta({ id: 'TaskRequest' });

const params = z.object({ id: z.string().max(128) });
const task = { description: 'The task', schema: taskSchema };
/** Parts of the routes that answer with one task. */
const oneTask = { request: { params, query: userQuery }, middleware: [accepts(JSON_TYPE)] };
const stream = { description: 'Events. The id of each is its number.', schema: z.string(), type: EVENTS };

/** The routes of tasks, with their schemas. */
export const taskRoutes = {
  start: createRoute({
    method: 'post',
    path: '/task',
    operationId: 'startTask',
    summary: 'Run a task',
    description:
      'Answers when the task has ended. With `Accept: text/event-stream`, the answer is the stream of its events. With ' +
      '`Prefer: respond-async`, the answer comes immediately. A task continues when its client disconnects.',
    request: {
      headers: z.object({ 'idempotency-key': z.string().optional(), prefer: z.string().optional() }),
      body: { required: true, content: { [JSON_TYPE]: { schema: body } } },
    },
    responses: answers({ 200: { ...task, description: 'The ended task' }, 202: task }),
    middleware: [jsonBody()],
  }),
  list: createRoute({
    method: 'get',
    path: '/tasks',
    operationId: 'listTasks',
    summary: 'List the tasks of the user, newest first',
    request: {
      query: userQuery.extend({
        limit: z.coerce.number().int().min(1).max(MAX_PAGE_TASKS).default(DEFAULT_PAGE),
        sessionId: z.string().max(128).optional().meta({ description: 'Only the tasks of this session.' }),
        cursor: z.string().max(128).optional().meta({ description: 'The `nextCursor` of the previous page.' }),
      }),
    },
    responses: answers({
      200: {
        description: 'A page. There are more tasks while it has a `nextCursor`.',
        schema: z.object({ tasks: z.array(taskSchema), nextCursor: z.string().optional() }),
      },
    }),
    middleware: [accepts(JSON_TYPE)],
  }),
  get: createRoute({
    ...oneTask,
    method: 'get',
    path: '/tasks/{id}',
    operationId: 'getTask',
    summary: 'Get a task',
    responses: answers({ 200: task }),
  }),
  events: createRoute({
    method: 'get',
    path: '/tasks/{id}/events',
    operationId: 'watchTask',
    summary: 'Stream the events of a task',
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
    summary: 'Cancel a task. An ended task stays unchanged',
    responses: answers({ 200: task }),
  }),
  resume: createRoute({
    ...oneTask,
    method: 'post',
    path: '/tasks/{id}/resume',
    operationId: 'resumeTask',
    summary: 'Continue an interrupted task',
    responses: answers({ 202: task }),
  }),
};
