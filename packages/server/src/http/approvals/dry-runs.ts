import { createRoute } from '@hono/zod-openapi';
import type { Executions, ListedExecution } from '@toolwright/core';
import * as z from 'zod';
import { answers, type HttpApi, type RouteOptions } from '../api.ts';
import { listedExecution, listedView } from '../executions/execution-list.ts';
import { accepts } from '../requests/request-checks.ts';
import { type Subjects, subjectsOf, subjectsQuery } from '../user.ts';

const MAX_DRY_RUNS = 100;
/** Older dry runs are not shown. They can still be decided by their ids. */
const SHOWN_MS = 7 * 24 * 60 * 60 * 1_000;
/** Decisions that are read at once. */
const AT_ONCE = 16;

const route = createRoute({
  method: 'get',
  path: '/approvals/dry-runs',
  operationId: 'listDryRuns',
  summary: 'List the completed dry runs without a decision, oldest first',
  description: `Those of the last 7 days, at most ${MAX_DRY_RUNS}. Decide about one with \`POST /executions/{id}/decisions\`.`,
  request: { query: subjectsQuery },
  responses: answers({
    200: { description: 'The dry runs', schema: z.object({ dryRuns: z.array(listedExecution) }) },
  }),
  middleware: [accepts('application/json')],
});

/** Adds the dry runs that wait for a person to `/approvals`. */
export function addDryRunRoute(api: HttpApi, { toolwright }: RouteOptions): void {
  api.openapi(route, async (context) => {
    const subjects = subjectsOf(context.get('principal'), context.req.valid('query'), 'executions:decide');
    const waiting = await undecided(toolwright.executions, subjects);
    return context.json({ dryRuns: waiting.map(listedView) }, 200);
  });
}

async function undecided(executions: Executions, subjects: Subjects): Promise<ListedExecution[]> {
  const from = new Date(Date.now() - SHOWN_MS).toISOString();
  const query = { ...subjects, isDryRun: true, status: 'completed', from, limit: MAX_DRY_RUNS } as const;
  const { executions: found } = await executions.find(query);
  const isOpen = async ({ id, userId }: ListedExecution) =>
    // It may have been deleted since: then nobody can decide.
    (await executions.get(id, userId).catch(() => ({ decision: true }))).decision === undefined;
  const open: ListedExecution[] = [];
  for (let at = 0; at < found.length; at += AT_ONCE) {
    const part = found.slice(at, at + AT_ONCE);
    const verdicts = await Promise.all(part.map(isOpen));
    open.push(...part.filter((_, index) => verdicts[index]));
  }
  return open.reverse();
}
