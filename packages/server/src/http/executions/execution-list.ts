import { createRoute } from '@hono/zod-openapi';
import type { ExecutionQuery, ListedExecution } from '@toolwright/core';
import { DEFAULT_PAGE_EXECUTIONS, MAX_PAGE_EXECUTIONS } from '@toolwright/core/internal';
import * as z from 'zod';
import { answers, type HttpApi, type RouteOptions } from '../api.ts';
import { accepts } from '../requests/request-checks.ts';
import { type Subjects, subjectsOf, subjectsQuery } from '../user.ts';
import { withExecutionId } from './execution-id.ts';
import { executionCursor, executionStatus, executionSummary } from './execution-schemas.ts';

const JSON_TYPE = 'application/json';
const count = z.coerce.number().int().min(0).optional();

/** An execution in a list. */
export const listedExecution: z.ZodType<ReturnType<typeof listedView>> = executionSummary
  .extend({
    userId: z.string(),
    preview: z.string().meta({ description: 'The first characters of the program.' }),
    tools: z
      .array(z.object({ tool: z.string(), calls: z.int(), failed: z.int() }))
      .readonly()
      .meta({ description: 'At most 20, the most called ones first.' }),
    toolCalls: z.int(),
    toolErrors: z.int(),
    openQuestions: z.int().meta({ description: 'Questions that wait for a person.' }),
    error: z.object({ code: z.string(), message: z.string().optional() }).optional(),
    limit: z.string().optional(),
    totalMs: z.number().optional(),
    tokens: z.object({ code: z.int(), output: z.int() }).optional(),
    directTokens: z.int().meta({
      description: 'Estimated tokens of the arguments and results of its calls, which a model without programs reads.',
    }),
    personalData: z
      .record(z.string(), z.int())
      .optional()
      .meta({ description: 'Different placeholders in its calls, by type.' }),
  })
  .meta({ id: 'ListedExecution' }) as never;

/** The conditions on executions that several routes have. */
export const executionQuery = subjectsQuery.extend({
  from: z.iso.datetime({ offset: true }).optional().meta({ description: 'Started at this time or later.' }),
  to: z.iso.datetime({ offset: true }).optional().meta({ description: 'Started before this time.' }),
});

const route = createRoute({
  method: 'get',
  path: '/executions',
  operationId: 'listExecutions',
  summary: 'List executions, newest first',
  description: 'A filter can make a page short: there are more executions while the answer has a `nextCursor`.',
  request: {
    query: executionQuery.extend({
      status: z
        .string()
        .transform((text) => text.split(','))
        .pipe(z.array(executionStatus).min(1).max(7))
        .optional()
        .openapi({ type: 'string', description: 'One status, or several with commas between them.' }),
      sessionId: z.string().max(64).optional(),
      tool: z.string().max(256).optional(),
      error: z.string().max(100).optional().meta({ description: 'Code of the error.' }),
      q: z.string().max(500).optional().meta({ description: 'Words of the program, the error or the tools.' }),
      minTokens: count.meta({ description: 'Tokens of the program and its output together.' }),
      minMs: count,
      dryRun: z.enum(['true']).optional().meta({ description: 'Only dry runs.' }),
      total: z.enum(['true', 'false']).optional().meta({ description: 'Whether all matches are counted.' }),
      limit: z.coerce.number().int().min(1).max(MAX_PAGE_EXECUTIONS).default(DEFAULT_PAGE_EXECUTIONS),
      cursor: executionCursor.optional(),
    }),
  },
  responses: answers({
    200: {
      description: 'A page',
      schema: z.object({
        executions: z.array(listedExecution),
        nextCursor: z.string().optional(),
        total: z.int().optional().meta({ description: 'Absent for `running` without `interrupted`, and the reverse.' }),
        isIndexing: z.literal(true).optional().meta({ description: 'Older executions may be missing for a moment.' }),
      }),
    },
  }),
  middleware: [accepts(JSON_TYPE)],
});

/** Adds the list of `/executions`. */
export function addExecutionList(api: HttpApi, { toolwright }: RouteOptions): void {
  api.openapi(route, async (context) => {
    const { q, total, userId, all, dryRun, ...conditions } = context.req.valid('query');
    const subjects = subjectsOf(context.get('principal'), { userId, all }, 'executions:decide');
    const page = await toolwright.executions.find({
      ...queryOf(conditions, subjects),
      text: q,
      isDryRun: dryRun ? true : undefined,
      total: total === 'true',
    });
    return context.json({ ...page, executions: page.executions.map(listedView) }, 200);
  });
}

/** Returns a query of these users. */
export function queryOf(conditions: ExecutionQuery, subjects: Subjects): ExecutionQuery {
  return { ...conditions, ...subjects };
}

/** Returns an execution as lists carry it. */
export function listedView(found: ListedExecution): Omit<ListedExecution, 'id'> & { readonly executionId: string } {
  return withExecutionId({ ...found, tools: found.tools.map(({ tool, calls, failed }) => ({ tool, calls, failed })) });
}
