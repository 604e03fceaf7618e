import { createRoute } from '@hono/zod-openapi';
import { type ExecutionCall, ToolwrightError } from '@toolwright/core';
import * as z from 'zod';
import { answers, type HttpApi, type RouteOptions, userQuery } from './api.ts';
import { DRAFT_TOOLS, draftsOf, type RecordedDraft } from './drafts/recorded-drafts.ts';
import { executionCursor } from './executions/execution-schemas.ts';
import { accepts } from './requests/request-checks.ts';
import { subjectsOf, subjectsQuery, userOf } from './user.ts';

const JSON_TYPE = 'application/json';
const DEFAULT_PAGE = 10;
const MAX_PAGE = 50;
/** The most calls of an execution that are read for its drafts. */
const MAX_CALLS = 40;
const MAX_VALUE_BYTES = 512 * 1024;

const summary = z
  .object({
    executionId: z.string(),
    call: z.int().meta({ description: 'Number of the first call with this draft.' }),
    userId: z.string(),
    sessionId: z.string().optional(),
    at: z.string(),
    name: z.string(),
    steps: z.array(z.enum(['built', 'fixed', 'validated', 'created'])).readonly(),
    nodeCount: z.int(),
    connectionCount: z.int(),
    errors: z.int().optional().meta({ description: 'Absent for a draft that was not validated.' }),
    warnings: z.int().optional(),
  })
  .meta({ id: 'WorkflowDraftSummary' });
const node = z.object({
  name: z.string(),
  type: z.string(),
  typeVersion: z.number().optional(),
  disabled: z.boolean(),
});
const connection = z.object({
  from: z.string().meta({ description: 'Name of a node.' }),
  to: z.string().meta({ description: 'Name of a node.' }),
  type: z.string().meta({ description: '`main`, `ai_tool`, `ai_languageModel`, …' }),
  output: z.int(),
  input: z.number(),
});
const problem = z.object({
  level: z.enum(['error', 'warning']),
  code: z.string(),
  node: z.string().optional().meta({ description: 'Name of the node; absent for the workflow as a whole.' }),
  path: z.string().optional(),
  message: z.string(),
  fix: z.string(),
});
const draft = summary
  .omit({ userId: true, sessionId: true })
  .extend({
    nodes: z.array(node).readonly().meta({ description: 'At most 1,000.' }),
    connections: z.array(connection).readonly().meta({ description: 'At most 4,000.' }),
    problems: z.array(problem).readonly().optional().meta({ description: 'Of the last validation, if any.' }),
  })
  .meta({ id: 'WorkflowDraft' });

const routes = {
  list: createRoute({
    method: 'get',
    path: '/drafts',
    operationId: 'listDrafts',
    summary: 'List drafts of n8n workflows, newest first',
    description:
      'The workflows that programs have built, fixed, validated or created with the n8n plugin, as the journals of their executions have ' +
      'them. A page has the drafts of a number of executions: there are more while the answer has a `nextCursor`.',
    request: {
      query: subjectsQuery.extend({
        sessionId: z.string().max(64).optional(),
        limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE).meta({
          description: 'The most executions.',
        }),
        cursor: executionCursor.optional(),
      }),
    },
    responses: answers({
      200: {
        description: 'A page',
        schema: z.object({
          drafts: z.array(summary),
          omitted: z.int().meta({ description: 'Calls with a workflow over 512 KiB.' }),
          nextCursor: z.string().optional(),
        }),
      },
    }),
    middleware: [accepts(JSON_TYPE)],
  }),
  get: createRoute({
    method: 'get',
    path: '/executions/{id}/drafts/{call}',
    operationId: 'getDraft',
    summary: 'Get a draft of an n8n workflow: its nodes, connections and problems',
    description: 'Without the parameters of its nodes, which the call has. Texts are redacted.',
    request: {
      params: z.object({ id: z.string().max(128), call: z.coerce.number().int().min(1) }),
      query: userQuery,
    },
    responses: answers({ 200: { description: 'The draft', schema: draft } }),
    middleware: [accepts(JSON_TYPE)],
  }),
};

/** Adds `/drafts` and `/executions/{id}/drafts/{call}`. */
export function addDraftRoutes(api: HttpApi, { toolwright }: Pick<RouteOptions, 'toolwright'>): void {
  const { executions } = toolwright;
  const callsOf = (id: string, userId: string): Promise<ExecutionCall[]> =>
    executions.calls(id, userId, { tools: DRAFT_TOOLS, limit: MAX_CALLS, maxValueBytes: MAX_VALUE_BYTES });
  api.openapi(routes.list, async (context) => {
    const { userId, all, ...conditions } = context.req.valid('query');
    const subjects = subjectsOf(context.get('principal'), { userId, all }, 'executions:decide');
    const page = await executions.find({ ...conditions, ...subjects, tool: DRAFT_TOOLS });
    const drafts: z.infer<typeof summary>[] = [];
    let omitted = 0;
    // One after the other: the calls of one execution may be large.
    for (const { id: executionId, userId: owner, sessionId } of page.executions) {
      const calls = await callsOf(executionId, owner).catch(ignoreRemoved);
      omitted += calls.filter(isLarge).length;
      const of = { executionId, userId: owner, sessionId };
      drafts.push(
        ...draftsOf(calls)
          .map((found) => ({ ...of, ...summaryOf(found) }))
          .reverse(),
      );
    }
    const { nextCursor } = page;
    return context.json({ drafts, omitted, nextCursor }, 200);
  });
  api.openapi(routes.get, async (context) => {
    const { id, call } = context.req.valid('param');
    const user = userOf(context.get('principal'), context.req.valid('query').userId, 'executions:decide');
    const found = draftsOf(await callsOf(id, user)).find((each) => each.call === call);
    if (!found) throw unknownDraft(id, call);
    const { nodes, connections, problems } = found;
    const parts = { nodes, connections, problems };
    return context.json({ executionId: id, ...summaryOf(found), ...parts }, 200);
  });
}

/** An execution may be removed while a page is read. */
function ignoreRemoved(error: unknown): [] {
  if (error instanceof ToolwrightError && error.code === 'UNKNOWN_EXECUTION') return [];
  throw error;
}

function unknownDraft(id: string, call: number): ToolwrightError {
  const message = `Call ${call} of the execution ${id} has no draft of a workflow. GET /drafts lists the drafts.`;
  return new ToolwrightError('UNKNOWN_EXECUTION', message);
}

function isLarge({ argumentBytes, resultBytes = 0 }: ExecutionCall): boolean {
  return Math.max(argumentBytes, resultBytes) > MAX_VALUE_BYTES;
}

function summaryOf({ nodes: _nodes, connections: _connections, problems, ...draft }: RecordedDraft) {
  const count = (level: 'error' | 'warning') => problems?.filter((problem) => problem.level === level).length ?? 0;
  return { ...draft, ...(problems ? { errors: count('error'), warnings: count('warning') } : {}) };
}
