import { createRoute } from '@hono/zod-openapi';
import { type DecideRequest, ToolwrightError } from '@toolwright/core';
import * as z from 'zod';
import { deciderOf, type Principal } from '../../principal.ts';
import { answers, type HttpApi, type RouteOptions } from '../api.ts';
import { shownValues } from '../executions/shown-values.ts';
import { jsonBody } from '../requests/json-body.ts';
import { accepts } from '../requests/request-checks.ts';
import { subjectsOf, subjectsQuery, userOf } from '../user.ts';
import { decisionAction, decisionNote, questionKind, questionSchema } from './decisions.ts';
import { cursorOf, findApprovals, MAX_EXECUTIONS } from './open-approvals.ts';

const JSON_TYPE = 'application/json';
const DEFAULT_LIMIT = 100;
const MAX_DECIDED = 500;
/** Executions whose questions are decided at once. */
const AT_ONCE = 8;
const conditions = z.object({
  tool: z.string().max(256).optional(),
  kind: questionKind.optional(),
  executionId: z.string().max(128).optional(),
  q: z.string().max(500).optional().meta({ description: 'Words of the program or its tools.' }),
});
const approval = questionSchema
  .extend({
    executionId: z.string(),
    userId: z.string(),
    sessionId: z.string().optional(),
    language: z.string(),
    preview: z.string().meta({ description: 'The first characters of the program.' }),
    askedAt: z.string().optional(),
  })
  .meta({ id: 'Approval' });
const common = {
  action: decisionAction,
  note: decisionNote,
};
const decision = z
  .union([
    z.strictObject({
      ...common,
      value: z.unknown().optional(),
      items: z
        .array(
          z.strictObject({
            executionId: z.string().max(128),
            userId: z.string().min(1).max(256).optional(),
            call: z.int().positive(),
            question: z.int().positive().optional(),
            binding: z.string().max(256).meta({ description: 'Of the question that the person saw.' }),
          }),
        )
        .min(1)
        .max(MAX_DECIDED),
    }),
    z.strictObject({
      ...common,
      filter: conditions.extend({ userId: z.string().min(1).max(256).optional(), all: z.boolean().default(false) }),
      limit: z.int().min(1).max(MAX_DECIDED).default(MAX_DECIDED).meta({ description: 'The oldest ones only.' }),
      bindings: z
        .array(z.string().max(256))
        .min(1)
        .max(MAX_DECIDED)
        .meta({ description: 'Of the questions that the person saw. Others stay open.' }),
    }),
  ])
  .meta({ id: 'BatchDecision' });
const decided = z.object({ executionId: z.string(), userId: z.string(), call: z.int() });
const refused = z.object({ executionId: z.string(), call: z.int(), code: z.string(), detail: z.string() });

const routes = {
  list: createRoute({
    method: 'get',
    path: '/approvals',
    operationId: 'listApprovals',
    summary: 'List the open questions of all executions, oldest first',
    description:
      'Of the user, or of all users with `all=true`. Real arguments are for a person, and each time they are logged.',
    request: {
      query: subjectsQuery.extend({
        ...conditions.shape,
        arguments: shownValues,
        limit: z.coerce.number().int().min(1).max(MAX_DECIDED).default(DEFAULT_LIMIT),
        cursor: z
          .string()
          .regex(/^[\dT:.Z-]*_[\da-f-]{36}_\d+$/, 'Pass the "nextCursor" of the previous page.')
          .optional(),
      }),
    },
    responses: answers({
      200: {
        description: 'A page',
        schema: z.object({
          approvals: z.array(approval),
          nextCursor: z.string().optional(),
          total: z.int().meta({ description: 'Of all pages.' }),
          isPart: z
            .literal(true)
            .optional()
            .meta({
              description: `More than ${MAX_EXECUTIONS} executions wait. The others are listed when these have decisions.`,
            }),
        }),
      },
    }),
    middleware: [accepts(JSON_TYPE)],
  }),
  decide: createRoute({
    method: 'post',
    path: '/approvals/decisions',
    operationId: 'decideApprovals',
    summary: 'Decide about several open questions',
    description:
      'About named ones (`items`), or about those that match a `filter` and that the person saw. For a person, or a program of yours. Never ' +
      'give a model this route. If no question can be decided, it answers with the error of the first one, such as 409 `ALREADY_DECIDED`, ' +
      '`QUESTION_CHANGED` or `EXECUTION_ENDED`.',
    request: { body: { required: true, content: { [JSON_TYPE]: { schema: decision } } } },
    responses: answers({
      200: {
        description: 'The decided questions, and those that could not be decided',
        schema: z.object({ decided: z.array(decided), refused: z.array(refused) }),
      },
    }),
    middleware: [accepts(JSON_TYPE), jsonBody()],
  }),
};

/** One question to decide about. */
interface Item {
  readonly executionId: string;
  readonly userId: string;
  readonly call: number;
  readonly binding: string;
  readonly question?: number | undefined;
}

/** Adds `/approvals`: the open questions of all executions in one queue. */
export function addApprovalRoutes(api: HttpApi, { toolwright, logger }: RouteOptions): void {
  const { executions } = toolwright;
  api.openapi(routes.list, async (context) => {
    const { userId, all, arguments: shown, limit, cursor = '', ...rest } = context.req.valid('query');
    const principal = context.get('principal');
    const subjects = subjectsOf(principal, { userId, all }, 'executions:decide');
    const { questions, isPart } = await findApprovals(executions, { ...rest, subjects, shown });
    const page = pageOf(questions, limit, cursor);
    if (shown === 'real' && page.approvals.length > 0) {
      const ids = [...new Set(page.approvals.map(({ executionId }) => executionId))];
      logger.info({ executionIds: ids, by: principal }, 'real arguments of open questions were shown');
    }
    return context.json({ ...page, isPart: isPart || undefined }, 200);
  });
  api.openapi(routes.decide, async (context) => {
    const principal = context.get('principal');
    const body = context.req.valid('json');
    const items = 'items' in body ? namedItems(body.items, principal) : await matching(body, principal);
    const value = 'value' in body && body.value !== undefined ? { value: body.value } : {};
    const request = { action: body.action, ...value, note: body.note };
    const results = await decideAll(items, { ...request, by: deciderOf(principal) });
    const failures = results.flatMap(({ error }) => error ?? []);
    const [first] = failures;
    if (first && failures.length === results.length) throw first;
    return context.json(
      {
        decided: results.flatMap(({ item: { executionId, userId, call }, error }) =>
          error ? [] : [{ executionId, userId, call }],
        ),
        refused: results.flatMap(({ item: { executionId, call }, error }) =>
          error ? [{ executionId, call, code: error.code, detail: error.message }] : [],
        ),
      },
      200,
    );
  });

  async function matching(
    { filter, limit, bindings }: Extract<z.infer<typeof decision>, { bindings: unknown }>,
    principal: Principal,
  ): Promise<Item[]> {
    const { userId, all, ...rest } = filter;
    const subjects = subjectsOf(principal, { userId, all: all ? 'true' : 'false' }, 'executions:decide');
    const { questions } = await findApprovals(executions, { ...rest, subjects, shown: 'redacted' });
    return questions.filter(({ binding }) => bindings.includes(binding)).slice(0, limit);
  }

  /** Decides about each question by itself: one that another person decided does not keep the others open. */
  async function decideAll(items: readonly Item[], request: Omit<DecideRequest, 'calls'>) {
    const results: { readonly item: Item; readonly error?: ToolwrightError }[] = [];
    const decideOne = async (item: Item) => {
      const { executionId, userId, call, question, binding } = item;
      const one = {
        ...request,
        userId,
        calls: [call],
        bindings: [binding],
        question: question ?? request.question,
      };
      try {
        await executions.decide(executionId, one);
        return { item };
      } catch (error) {
        if (error instanceof ToolwrightError) return { item, error };
        throw error;
      }
    };
    for (let at = 0; at < items.length; at += AT_ONCE) {
      results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(decideOne))));
    }
    return results;
  }
}

/** Returns the questions after a cursor, at most `limit`, and the cursor of the next page. */
function pageOf<T extends Parameters<typeof cursorOf>[0]>(questions: readonly T[], limit: number, cursor: string) {
  const later = questions.filter((question) => cursorOf(question) > cursor);
  const approvals = later.slice(0, limit);
  const last = later.length > limit ? approvals.at(-1) : undefined;
  return { approvals, total: questions.length, nextCursor: last ? cursorOf(last) : undefined };
}

function namedItems(
  items: readonly (Omit<Item, 'userId'> & { readonly userId?: string | undefined })[],
  principal: Principal,
): Item[] {
  return items.map((item) => ({ ...item, userId: userOf(principal, item.userId, 'executions:decide') }));
}
