import { createRoute } from '@hono/zod-openapi';
import { DEFAULT_PAGE_ENTRIES, MAX_PAGE_ENTRIES } from '@toolwright/core/internal';
import * as z from 'zod';
import { answers, type HttpApi, type RouteOptions, userQuery } from '../api.ts';
import { accepts } from '../requests/request-checks.ts';
import { userOf } from '../user.ts';

const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain';
const params = z.object({ id: z.string().max(128) });
const one = { request: { params, query: userQuery } };
const entry = z.looseObject({ number: z.int(), entry: z.string(), at: z.string() }).meta({
  id: 'JournalEntry',
  description: 'The other members depend on the kind. One over 16 KiB is `{ omittedBytes }`.',
});
const calls = z.array(z.looseObject({ change: z.enum(['added', 'removed', 'changed']) })).readonly();
const logs = z
  .array(z.looseObject({ change: z.enum(['added', 'removed']), level: z.string(), text: z.string() }))
  .readonly();
const status = z.enum(['identical', 'different']);
const diff = z
  .object({
    status,
    program: z.object({ diff: z.string().optional() }).optional().meta({
      description: 'Present if the programs differ. `diff` is unified; absent for programs that differ too much.',
    }),
    calls,
    logs,
    outcome: z.looseObject({ before: z.unknown(), after: z.unknown() }).optional(),
  })
  .meta({ id: 'ExecutionDiff' });

const routes = {
  journal: createRoute({
    method: 'get',
    path: '/executions/{id}/journal',
    operationId: 'readJournal',
    summary: 'Read the journal of an execution',
    description: 'Its entries in the order of time, redacted, without the codes that protect it.',
    request: {
      params,
      query: userQuery.extend({
        after: z.coerce.number().int().min(0).default(0).meta({ description: 'Number of the last known entry.' }),
        limit: z.coerce.number().int().min(1).max(MAX_PAGE_ENTRIES).default(DEFAULT_PAGE_ENTRIES),
        entry: z.string().max(200).optional().meta({ description: 'Kinds of entries, with commas: `call,answer`.' }),
      }),
    },
    responses: answers({
      200: {
        description: 'A page',
        schema: z.object({ entries: z.array(entry).readonly(), nextAfter: z.int().optional() }),
      },
    }),
    middleware: [accepts(JSON_TYPE)],
  }),
  test: createRoute({
    ...one,
    method: 'get',
    path: '/executions/{id}/test',
    operationId: 'exportTest',
    summary: 'Export an execution as a test file',
    description: 'For vitest, or for pytest and unittest. It runs the program with the recorded answers.',
    responses: answers({ 200: { description: 'The file', schema: z.string(), type: TEXT_TYPE } }),
    middleware: [accepts(TEXT_TYPE)],
  }),
  diff: createRoute({
    method: 'get',
    path: '/executions/{id}/diff',
    operationId: 'diffExecutions',
    summary: 'Compare an execution with a later one',
    request: {
      params,
      query: userQuery.extend({ with: z.string().max(128).meta({ description: 'Id of the later one.' }) }),
    },
    responses: answers({ 200: { description: 'The differences', schema: diff } }),
    middleware: [accepts(JSON_TYPE)],
  }),
  replay: createRoute({
    ...one,
    method: 'post',
    path: '/executions/{id}/replay',
    operationId: 'replayExecution',
    summary: 'Run the program again with the recorded answers, and compare',
    description: 'Nothing is sent, read or written.',
    responses: answers({
      200: {
        description: 'The comparison',
        schema: z.looseObject({ status, requests: z.int() }).meta({ id: 'Replay' }),
      },
    }),
    middleware: [accepts(JSON_TYPE)],
  }),
};

/** Adds the routes that read, export, compare and replay journals. */
export function addExecutionHistory(api: HttpApi, { toolwright, limiter, admission }: RouteOptions): void {
  const { executions } = toolwright;
  api.openapi(routes.journal, async (context) => {
    const { userId, entry: kinds, ...page } = context.req.valid('query');
    const user = userOf(context.get('principal'), userId, 'executions:decide');
    const { id } = context.req.valid('param');
    return context.json(await executions.journal(id, user, { ...page, kinds: kinds?.split(',') }), 200);
  });
  api.openapi(routes.test, async (context) => {
    const user = userOf(context.get('principal'), context.req.valid('query').userId, 'executions:decide');
    const file = await executions.exportTest(context.req.valid('param').id, user);
    return context.body(file, 200, {
      'content-type': `${TEXT_TYPE}; charset=utf-8`,
      'content-disposition': 'attachment',
    }) as never;
  });
  api.openapi(routes.diff, async (context) => {
    const { userId, with: other } = context.req.valid('query');
    const user = userOf(context.get('principal'), userId, 'executions:decide');
    return context.json(await executions.diff(context.req.valid('param').id, other, user), 200);
  });
  api.openapi(routes.replay, async (context) => {
    const principal = context.get('principal');
    const user = userOf(principal, context.req.valid('query').userId);
    const leave = limiter.enter('concurrentExecutions', principal);
    const { id } = context.req.valid('param');
    const replay = await admission
      .admit(user, () => executions.replay(id, user), context.req.raw.signal)
      .finally(leave);
    return context.json(replay, 200);
  });
}
