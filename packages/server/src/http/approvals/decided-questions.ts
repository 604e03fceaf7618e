import { createRoute } from '@hono/zod-openapi';
import type { Executions } from '@toolwright/core';
import * as z from 'zod';
import { answers, type HttpApi, type RouteOptions } from '../api.ts';
import { executionStatus } from '../executions/execution-schemas.ts';
import { accepts } from '../requests/request-checks.ts';
import { type Subjects, subjectsOf, subjectsQuery } from '../user.ts';
import { questionKind } from './decisions.ts';

const decidedQuestion = z
  .object({
    call: z.int().meta({ description: 'Number of the tool call.' }),
    question: z.int().optional().meta({ description: 'Number of the question within its call, from 2.' }),
    kind: questionKind,
    tool: z.string(),
    action: z.string().meta({ description: 'The action of the decision, or `expired`.' }),
    by: z.string().optional().meta({ description: 'The person who decided.' }),
    note: z.string().optional().meta({ description: 'The reason.' }),
    at: z.string().optional(),
  })
  .meta({ id: 'DecidedQuestion' });

const route = createRoute({
  method: 'get',
  path: '/executions/{id}/decisions',
  operationId: 'listDecisions',
  summary: 'List the decided questions of an execution',
  description:
    'With `all=true`, the execution may belong to any user. Decisions that it has not applied yet are there too.',
  request: { params: z.object({ id: z.string().max(128) }), query: subjectsQuery },
  responses: answers({
    200: {
      description: 'The decisions',
      schema: z.object({
        executionId: z.string(),
        userId: z.string(),
        status: executionStatus,
        decisions: z.array(decidedQuestion),
      }),
    },
  }),
  middleware: [accepts('application/json')],
});

/** Adds `GET /executions/{id}/decisions`. */
export function addDecidedQuestions(api: HttpApi, { toolwright }: RouteOptions): void {
  const { executions } = toolwright;
  api.openapi(route, async (context) => {
    const principal = context.get('principal');
    const subjects = subjectsOf(principal, context.req.valid('query'), 'executions:decide');
    const { id: executionId } = context.req.valid('param');
    const userId = (await ownerOf(executionId, subjects, executions)) ?? principal.user;
    const decisions = await executions.decisions(executionId, userId);
    const { status } = await executions.get(executionId, userId);
    return context.json({ executionId, userId, status, decisions: [...decisions] }, 200);
  });
}

async function ownerOf(id: string, subjects: Subjects, executions: Executions): Promise<string | undefined> {
  if ('userId' in subjects) return subjects.userId;
  const { executions: found } = await executions.find({ ...subjects, id });
  return found[0]?.userId;
}
