import { createRoute } from '@hono/zod-openapi';
import { type ExecutionCall, type PluginPage, type RecordedGraph, ToolwrightError } from '@toolwright/core';
import * as z from 'zod';
import { answers, type HttpApi, type RouteOptions, userQuery } from './api.ts';
import { executionCursor } from './executions/execution-schemas.ts';
import { HttpProblem } from './requests/problem.ts';
import { accepts } from './requests/request-checks.ts';
import { subjectsOf, subjectsQuery, userOf } from './user.ts';

const JSON_TYPE = 'application/json';
const DEFAULT_PAGE = 10;
const MAX_PAGE = 50;
/** The most calls of an execution that are read for its graphs. */
const MAX_CALLS = 40;
const MAX_VALUE_BYTES = 512 * 1024;

const summary = z
  .object({
    executionId: z.string(),
    call: z.int().meta({ description: 'Number of the first call with it.' }),
    userId: z.string(),
    sessionId: z.string().optional(),
    at: z.string(),
    name: z.string(),
    steps: z.array(z.string()).readonly().meta({ description: 'The actions of programs on it.' }),
    nodeCount: z.int(),
    connectionCount: z.int(),
    errors: z.int().optional().meta({ description: 'Absent for a graph that was not validated.' }),
    warnings: z.int().optional(),
  })
  .meta({ id: 'GraphSummary' });
const node = z.object({
  name: z.string(),
  type: z.string(),
  typeVersion: z.number().optional(),
  disabled: z.boolean(),
});
const connection = z.object({
  from: z.string().meta({ description: 'Name of a node.' }),
  to: z.string().meta({ description: 'Name of a node.' }),
  type: z.string().meta({ description: '`main` from step to step.' }),
  output: z.int(),
  input: z.number(),
});
const problem = z.object({
  level: z.enum(['error', 'warning']),
  code: z.string(),
  node: z.string().optional().meta({ description: 'Name of the node; absent for the graph as a whole.' }),
  path: z.string().optional(),
  message: z.string(),
  fix: z.string(),
});
const graph = summary
  .omit({ userId: true, sessionId: true })
  .extend({
    nodes: z.array(node).readonly().meta({ description: 'At most 1,000.' }),
    connections: z.array(connection).readonly().meta({ description: 'At most 4,000.' }),
    problems: z.array(problem).readonly().optional().meta({ description: 'Of the last validation, if any.' }),
  })
  .meta({ id: 'Graph' });
const page = z.object({ key: z.string(), title: z.string(), emptyText: z.string() });
const pageKey = z.string().max(64);

const routes = {
  pages: createRoute({
    method: 'get',
    path: '/pages',
    operationId: 'listPages',
    summary: 'List the pages of plugins',
    responses: answers({ 200: { description: 'The pages', schema: z.object({ pages: z.array(page) }) } }),
    middleware: [accepts(JSON_TYPE)],
  }),
  list: createRoute({
    method: 'get',
    path: '/pages/{page}',
    operationId: 'listGraphs',
    summary: 'List the graphs of a page, newest first',
    description:
      'The graphs in the recorded calls of the plugin, such as drafts of workflows. The answer has those of a number of executions: ' +
      'there are more while it has a `nextCursor`.',
    request: {
      params: z.object({ page: pageKey }),
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
          graphs: z.array(summary),
          omitted: z.int().meta({ description: 'Calls with values over 512 KiB.' }),
          nextCursor: z.string().optional(),
        }),
      },
    }),
    middleware: [accepts(JSON_TYPE)],
  }),
  get: createRoute({
    method: 'get',
    path: '/pages/{page}/{id}/{call}',
    operationId: 'getGraph',
    summary: 'Get a graph of an execution: its nodes, connections and problems',
    description: 'Without the parameters of its nodes, which the call has. Texts are redacted.',
    request: {
      params: z.object({ page: pageKey, id: z.string().max(128), call: z.coerce.number().int().min(1) }),
      query: userQuery,
    },
    responses: answers({ 200: { description: 'The graph', schema: graph } }),
    middleware: [accepts(JSON_TYPE)],
  }),
};

/** Adds `/pages`, `/pages/{page}` and `/pages/{page}/{id}/{call}`. */
export function addPageRoutes(api: HttpApi, { toolwright }: RouteOptions): void {
  const { executions, pages } = toolwright;
  const pageOf = (wanted: string): PluginPage => {
    const found = pages.find(({ key }) => key === wanted);
    if (found) return found;
    throw new HttpProblem(404, 'UNKNOWN_PAGE', 'No plugin of this server has such a page. GET /pages lists all.');
  };
  const callsOf = ({ tools }: PluginPage, id: string, userId: string): Promise<ExecutionCall[]> =>
    executions.calls(id, userId, { tools, limit: MAX_CALLS, maxValueBytes: MAX_VALUE_BYTES });
  api.openapi(routes.pages, (context) =>
    context.json({ pages: pages.map(({ key, title, emptyText }) => ({ key, title, emptyText })) }, 200),
  );
  api.openapi(routes.list, async (context) => {
    const page = pageOf(context.req.valid('param').page);
    const { userId, all, ...conditions } = context.req.valid('query');
    const subjects = subjectsOf(context.get('principal'), { userId, all }, 'executions:decide');
    const found = await executions.find({ ...conditions, ...subjects, tool: page.tools });
    const graphs: z.infer<typeof summary>[] = [];
    let omitted = 0;
    // One after the other: the calls of one execution may be large.
    for (const { id: executionId, userId: owner, sessionId } of found.executions) {
      const calls = await callsOf(page, executionId, owner).catch(ignoreRemoved);
      omitted += calls.filter(isLarge).length;
      const of = { executionId, userId: owner, sessionId };
      graphs.push(
        ...page
          .graphs(calls)
          .map((each) => ({ ...of, ...summaryOf(each) }))
          .toReversed(),
      );
    }
    const { nextCursor } = found;
    return context.json({ graphs, omitted, nextCursor }, 200);
  });
  api.openapi(routes.get, async (context) => {
    const { page, id, call } = context.req.valid('param');
    const from = pageOf(page);
    const user = userOf(context.get('principal'), context.req.valid('query').userId, 'executions:decide');
    const found = from.graphs(await callsOf(from, id, user)).find((each) => each.call === call);
    if (!found) throw unknownGraph(id, call, page);
    const { nodes, connections, problems } = found;
    return context.json({ executionId: id, ...summaryOf(found), nodes, connections, problems }, 200);
  });
}

/** An execution may be removed while a page is read. */
function ignoreRemoved(error: unknown): [] {
  if (error instanceof ToolwrightError && error.code === 'UNKNOWN_EXECUTION') return [];
  throw error;
}

function unknownGraph(id: string, call: number, page: string): ToolwrightError {
  const message = `Call ${call} of the execution ${id} has no graph. GET /pages/${page} lists the graphs.`;
  return new ToolwrightError('UNKNOWN_EXECUTION', message);
}

function isLarge({ argumentBytes, resultBytes = 0 }: ExecutionCall): boolean {
  return Math.max(argumentBytes, resultBytes) > MAX_VALUE_BYTES;
}

function summaryOf({ nodes: _nodes, connections: _connections, problems, ...graph }: RecordedGraph) {
  const count = (level: 'error' | 'warning') => problems?.filter((problem) => problem.level === level).length;
  return {
    ...graph,
    steps: [...graph.steps],
    errors: count('error'),
    warnings: count('warning'),
  };
}
