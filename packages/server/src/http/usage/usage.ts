import { createRoute } from '@hono/zod-openapi';
import * as z from 'zod';
import type { Tasks } from '../../agent/task.ts';
import type { ClusterState } from '../admin/health.ts';
import { answers, type HttpApi, type RouteOptions } from '../api.ts';
import { executionQuery } from '../executions/execution-list.ts';
import { HttpProblem } from '../requests/problem.ts';
import { acceptsType } from '../requests/request-checks.ts';
import { subjectsOf } from '../user.ts';
import { BUCKET_MS, type UsageRange, type UsageReport, type UserUsage, usageReport } from './usage-report.ts';

const CSV = 'text/csv';
const DEFAULT_DAYS = 7;
/** Longer times have one value per day by default. */
const MAX_HOURLY_MS = 3 * BUCKET_MS.day;
const MAX_BUCKETS = 1_000;
/** Milliseconds for which many dashboards share one report. */
const SHARED_MS = 5_000;
const MAX_SHARED = 64;

const numbers = z.object({
  executions: z.int(),
  completed: z.int(),
  failed: z.int(),
  stopped: z.int(),
  cancelled: z.int(),
  open: z.int().meta({ description: 'They run, wait or were interrupted.' }),
  toolCalls: z.int(),
  toolErrors: z.int(),
  p50Ms: z.number().optional(),
  p95Ms: z.number().optional(),
  directTokens: z.int().meta({ description: 'Estimated tokens of all arguments and results of calls.' }),
  usedTokens: z.int().meta({ description: 'Tokens of the programs and their outputs.' }),
  savedTokens: z.int(),
});
const usage = z
  .object({
    from: z.string(),
    to: z.string(),
    bucket: z.enum(['hour', 'day']),
    totals: numbers,
    tasks: z.object({
      count: z.int(),
      inputTokens: z.int(),
      outputTokens: z.int(),
      costUsd: z.number().meta({ description: 'Of the tasks whose model has a known price.' }),
      unpriced: z.int().meta({ description: 'Tasks whose model has no known price.' }),
      isPartial: z
        .literal(true)
        .optional()
        .meta({ description: 'Only a part of the tasks was read: there are too many.' }),
    }),
    queue: z.object({ running: z.int(), waiting: z.int() }).meta({
      description: 'Work that runs now, and work that waits for a place: of this process, or of the whole cluster.',
    }),
    personalData: z.record(z.string(), z.int()),
    series: z.array(numbers.extend({ at: z.string() })).readonly(),
    tools: z
      .array(
        z.object({
          tool: z.string(),
          calls: z.int(),
          failed: z.int(),
          p50Ms: z.number().optional().meta({ description: 'Of answered calls, to two digits.' }),
          p95Ms: z.number().optional(),
        }),
      )
      .readonly(),
    failures: z
      .array(z.object({ status: z.enum(['failed', 'stopped']), code: z.string(), executions: z.int() }))
      .readonly()
      .meta({ description: 'Executions by error code or limit, most frequent first.' }),
    users: z.array(numbers.extend({ userId: z.string() })).readonly(),
  })
  .meta({ id: 'Usage' });

const route = createRoute({
  method: 'get',
  path: '/usage',
  operationId: 'getUsage',
  summary: 'Add up executions, tasks, tokens and personal data within a time',
  description:
    'Default: the last 7 days. With `Accept: text/csv`, one line per user and part of the time, with columns for types of personal data and tools. Dry runs do not count.',
  request: { query: executionQuery.extend({ bucket: z.enum(['hour', 'day']).optional() }) },
  responses: answers({ 200: { description: 'The usage', schema: usage } }),
});

interface UsageOptions extends RouteOptions {
  readonly tasks: Tasks | undefined;
  /** Without it, the queue is the one of this process. */
  readonly cluster: ClusterState | undefined;
}

type Value = string | number | undefined;
type Column = readonly [name: string, value: (row: UserUsage) => Value];

const CSV_NUMBERS = [
  ...(['at', 'userId', 'executions', 'completed', 'failed', 'stopped', 'cancelled', 'open', 'toolCalls'] as const),
  ...(['toolErrors', 'p50Ms', 'p95Ms', 'directTokens', 'usedTokens', 'savedTokens'] as const),
];
const CSV_TASKS = ['inputTokens', 'outputTokens', 'costUsd', 'unpriced'] as const;

/** Adds `/usage`. */
export function addUsageRoute(api: HttpApi, options: UsageOptions): void {
  const { toolwright, tasks } = options;
  const shared = new Map<string, Promise<UsageReport>>();
  const reportOf = (range: UsageRange): Promise<UsageReport> => {
    const { fromMs, toMs, ...rest } = range;
    // Requests within a moment ask for the same time, except for some milliseconds.
    const key = JSON.stringify([Math.floor(fromMs / SHARED_MS), Math.floor(toMs / SHARED_MS), rest]);
    const known = shared.get(key);
    if (known) return known;
    const made = usageReport({ executions: toolwright.executions, tasks }, range);
    if (shared.size >= MAX_SHARED) shared.clear();
    shared.set(key, made);
    const forget = () => void (shared.get(key) === made && shared.delete(key));
    made.then(() => setTimeout(forget, SHARED_MS).unref(), forget);
    return made;
  };
  api.openapi(route, async (context) => {
    const query = context.req.valid('query');
    const accept = context.req.header('accept');
    const isCsv = accept?.toLowerCase().includes(CSV) ?? false;
    if (!isCsv && !acceptsType(accept, 'application/json')) {
      throw new HttpProblem(
        406,
        'NOT_ACCEPTABLE',
        `The response is application/json or ${CSV}, which the Accept header excludes.`,
      );
    }
    const subjects = subjectsOf(context.get('principal'), query, 'executions:decide');
    const range = { ...rangeOf(query), subjects };
    const made = await reportOf(range);
    if (isCsv) {
      const headers = {
        'content-type': `${CSV}; charset=utf-8`,
        'content-disposition': 'attachment; filename="usage.csv"',
      };
      return context.body(usageCsv(made), 200, headers) as never;
    }
    const time = { from: iso(range.fromMs), to: iso(range.toMs), bucket: range.bucket };
    const { byUser: _byUser, ...report } = made;
    return context.json({ ...time, ...report, queue: await queueOf(options) }, 200);
  });
}

async function queueOf({ admission, cluster }: UsageOptions) {
  if (!cluster) return { running: admission.running - admission.waiting, waiting: admission.waiting };
  const { running, ready } = await cluster.counts();
  return { running, waiting: ready };
}

function rangeOf({
  from,
  to,
  bucket: named,
}: {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly bucket?: 'hour' | 'day' | undefined;
}): Omit<UsageRange, 'subjects'> {
  const toMs = to === undefined ? Date.now() : Date.parse(to);
  const fromMs = from === undefined ? toMs - DEFAULT_DAYS * BUCKET_MS.day : Date.parse(from);
  if (fromMs >= toMs) throw new HttpProblem(400, 'INVALID_REQUEST', '"from" must be before "to".');
  const bucket = named ?? (toMs - fromMs <= MAX_HOURLY_MS ? 'hour' : 'day');
  const count = Math.ceil((toMs - fromMs) / BUCKET_MS[bucket]);
  if (count > MAX_BUCKETS) {
    const detail = `The time has ${count} parts of one ${bucket}, the limit is ${MAX_BUCKETS}. Choose a shorter time, or bucket=day.`;
    throw new HttpProblem(400, 'INVALID_REQUEST', detail);
  }
  return { fromMs, toMs, bucket };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * Returns the usage of each user in each part of the time as CSV. Numbers and tasks are first. Each type of personal data has a column, and
 * so have the calls of each of the most called tools.
 */
export function usageCsv({ byUser, tasks, personalData, tools }: UsageReport): string {
  const columns: readonly Column[] = [
    ...CSV_NUMBERS.map((name): Column => [name, (row) => row[name]]),
    ['tasks', (row) => row.tasks.count],
    ...CSV_TASKS.map((name): Column => [name, (row) => row.tasks[name]]),
    ['isPartial', () => (tasks.isPartial ? 'true' : '')],
    ...Object.keys(personalData).map((type): Column => [`personalData.${type}`, (row) => row.personalData[type] ?? 0]),
    ...tools.map(({ tool }): Column => [`calls.${tool}`, (row) => callsOf(row, tool)]),
  ];
  const lines = byUser.map((row) => columns.map(([, value]) => cell(value(row))));
  return [columns.map(([name]) => cell(name)), ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

function callsOf({ tools }: UserUsage, name: string): number {
  return tools.find(({ tool }) => tool === name)?.calls ?? 0;
}

/** Returns a cell. A text that a table program would calculate becomes plain text. */
function cell(value: Value): string {
  if (typeof value !== 'string') return value === undefined ? '' : String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
