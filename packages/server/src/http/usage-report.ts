import type { ExecutionQuery, Executions } from '@toolwright/core';
import type { Tasks } from '../agent/task.ts';
import { counterMap, type UsageNumbers, usageCounter } from './usage-totals.ts';
import type { Subjects } from './user.ts';

export interface UsageRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly bucket: 'hour' | 'day';
  readonly subjects: Subjects;
}

/** The use of a server within a time. */
export interface UsageReport {
  readonly totals: UsageNumbers;
  readonly tasks: {
    readonly count: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    /** Of the tasks with a known price. */
    readonly costUsd: number;
    /** Set when there are more tasks than are read. */
    readonly isPartial?: true;
  };
  /** Different placeholders of each execution, by type. */
  readonly personalData: Readonly<Record<string, number>>;
  readonly series: readonly ({ readonly at: string } & UsageNumbers)[];
  readonly tools: readonly { readonly tool: string; readonly calls: number; readonly failed: number }[];
  readonly users: readonly ({ readonly userId: string } & UsageNumbers)[];
  /** The numbers of each user in each part of the time. */
  readonly byUser: readonly ({ readonly at: string; readonly userId: string } & UsageNumbers)[];
}

export const BUCKET_MS = { hour: 60 * 60_000, day: 24 * 60 * 60_000 };
const TOP = 20;
const MAX_TASKS = 1_000;
const TASK_PAGE = 100;
const SEPARATOR = ' ';

/** Adds up the executions and tasks of users within a time. Dry runs do not count. */
export async function usageReport(
  { executions, tasks }: { readonly executions: Pick<Executions, 'scan'>; readonly tasks: Tasks | undefined },
  { fromMs, toMs, bucket, subjects }: UsageRange,
): Promise<UsageReport> {
  const totals = usageCounter();
  const [series, users, byUser] = [counterMap(), counterMap(), counterMap()];
  const tools = new Map<string, { calls: number; failed: number }>();
  const personalData: Record<string, number> = {};
  const query: ExecutionQuery = { ...subjects, from: iso(fromMs), to: iso(toMs) };
  for await (const page of executions.scan(query)) {
    for (const execution of page) {
      if (execution.isDryRun) continue;
      const at = iso(Math.floor(Date.parse(execution.startedAt) / BUCKET_MS[bucket]) * BUCKET_MS[bucket]);
      const { userId } = execution;
      for (const counter of [totals, series.of(at), users.of(userId), byUser.of(at + SEPARATOR + userId)])
        counter.add(execution);
      for (const { tool, calls, failed } of execution.tools) {
        const before = tools.get(tool) ?? { calls: 0, failed: 0 };
        tools.set(tool, { calls: before.calls + calls, failed: before.failed + failed });
      }
      for (const [type, count] of Object.entries(execution.personalData ?? {})) {
        personalData[type] = (personalData[type] ?? 0) + count;
      }
    }
  }
  const known = users.entries();
  const names = 'all' in subjects ? known.map(([userId]) => userId) : [subjects.userId];
  return {
    totals: totals.numbers(),
    tasks: await taskCosts(tasks, names, { fromMs, toMs }),
    personalData,
    series: series
      .entries()
      .map(([at, numbers]) => ({ at, ...numbers }))
      .sort(byTime),
    tools: [...tools]
      .map(([tool, counts]) => ({ tool, ...counts }))
      .sort((a, b) => b.calls - a.calls)
      .slice(0, TOP),
    users: known
      .map(([userId, numbers]) => ({ userId, ...numbers }))
      .sort((a, b) => b.executions - a.executions)
      .slice(0, TOP),
    byUser: byUser
      .entries()
      .map(([key, numbers]) => {
        const end = key.indexOf(SEPARATOR);
        return { at: key.slice(0, end), userId: key.slice(end + SEPARATOR.length), ...numbers };
      })
      .sort(byTime),
  };
}

/** Adds up the tasks of users, newest first. */
async function taskCosts(
  tasks: Tasks | undefined,
  users: readonly string[],
  { fromMs, toMs }: Pick<UsageRange, 'fromMs' | 'toMs'>,
): Promise<UsageReport['tasks']> {
  const sum = { count: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };
  let read = 0;
  for (const user of tasks ? users : []) {
    for (let before: string | undefined, isMore = true; isMore; ) {
      if (read >= MAX_TASKS) return { ...sum, isPartial: true };
      const page = (await tasks?.list(user, { limit: TASK_PAGE, ...(before === undefined ? {} : { before }) })) ?? [];
      for (const { createdAt, usage } of page) {
        const ms = Date.parse(createdAt);
        if (ms < fromMs || ms >= toMs) continue;
        sum.count++;
        sum.inputTokens += usage.inputTokens;
        sum.outputTokens += usage.outputTokens;
        sum.costUsd += usage.costUsd ?? 0;
      }
      read += page.length;
      const last = page.at(-1);
      before = last?.id;
      isMore = page.length === TASK_PAGE && last !== undefined && Date.parse(last.createdAt) >= fromMs;
    }
  }
  return sum;
}

function byTime(a: { readonly at: string }, b: { readonly at: string }): number {
  return a.at.localeCompare(b.at);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
