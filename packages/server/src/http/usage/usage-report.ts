import type { ExecutionQuery, Executions, ListedExecution } from '@toolwright/core';
import type { Task, Tasks } from '../../agent/task.ts';
import type { Subjects } from '../user.ts';
import { keyed, type UsageNumbers, usageCounter } from './usage-totals.ts';

export interface UsageRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly bucket: 'hour' | 'day';
  readonly subjects: Subjects;
}

/** The usage of one user in one part of the time. */
export interface UserUsage extends UsageNumbers, UsageDetails {
  readonly at: string;
  readonly userId: string;
}

/** The use of a server within a time. */
export interface UsageReport extends UsageDetails {
  readonly totals: UsageNumbers;
  readonly tasks: TaskCosts & {
    /** Set when there are more tasks than are read. */
    readonly isPartial?: true;
  };
  readonly series: readonly ({ readonly at: string } & UsageNumbers)[];
  readonly users: readonly ({ readonly userId: string } & UsageNumbers)[];
  /** Failed and stopped executions by error code or limit, most frequent first. */
  readonly failures: readonly FailureCount[];
  readonly byUser: readonly UserUsage[];
}

/** The executions that ended for one reason. */
interface FailureCount {
  readonly status: 'failed' | 'stopped';
  /** The error code, or the limit. */
  readonly code: string;
  readonly executions: number;
}

export const BUCKET_MS = { hour: 60 * 60_000, day: 24 * 60 * 60_000 };
const TOP = 20;
const MAX_TASKS = 1_000;
const TASK_PAGE = 100;
const SEPARATOR = ' ';

/** The tasks of some time, and their cost. */
interface TaskCosts {
  readonly count: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the tasks whose model has a known price. */
  readonly costUsd: number;
  /** Tasks whose model has no known price. */
  readonly unpriced: number;
}

/** The tasks, tools and personal data of some executions. */
interface UsageDetails {
  readonly tasks: TaskCosts;
  /** Different placeholders of each execution, by type. */
  readonly personalData: Readonly<Record<string, number>>;
  /** The most called ones first. */
  readonly tools: readonly ToolUsage[];
}

/** The calls of one tool. */
interface ToolUsage {
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
  /** Milliseconds of answered calls, to two digits. Absent without an answered call. */
  readonly p50Ms?: number;
  readonly p95Ms?: number;
}

/** Collects the details of executions and tasks. */
interface DetailCounter {
  add(execution: ListedExecution): void;
  addTask(task: Task): void;
  details(): UsageDetails;
}

/** Adds up the executions and tasks of users within a time. Dry runs do not count. */
export async function usageReport(
  { executions, tasks }: { readonly executions: Executions; readonly tasks: Tasks | undefined },
  range: UsageRange,
): Promise<UsageReport> {
  const { fromMs, toMs, bucket, subjects } = range;
  const [totals, details] = [usageCounter(), detailCounter()];
  const [series, users] = [keyed(usageCounter), keyed(usageCounter)];
  const byUser = keyed(() => ({ numbers: usageCounter(), details: detailCounter() }));
  const failures = new Map<string, number>();
  const bucketOf = (time: string) => iso(Math.floor(Date.parse(time) / BUCKET_MS[bucket]) * BUCKET_MS[bucket]);
  const partOf = (at: string, userId: string) => byUser.of(at + SEPARATOR + userId);
  const query: ExecutionQuery = { ...subjects, from: iso(fromMs), to: iso(toMs) };
  for await (const page of executions.scan(query)) {
    for (const execution of page) {
      if (execution.isDryRun) continue;
      const { userId } = execution;
      const at = bucketOf(execution.startedAt);
      const part = partOf(at, userId);
      const { status, error, limit } = execution;
      if (status === 'failed' || status === 'stopped') {
        const key = `${status}${SEPARATOR}${error?.code ?? limit ?? 'unknown'}`;
        failures.set(key, (failures.get(key) ?? 0) + 1);
      }
      for (const counter of [totals, details, series.of(at), users.of(userId), part.numbers, part.details])
        counter.add(execution);
    }
  }
  const known = users.entries().map(([userId, counter]) => ({ userId, ...counter.numbers() }));
  const names = 'all' in subjects ? known.map(({ userId }) => userId) : [subjects.userId];
  const isPartial = await eachTask(tasks, names, range, (task) => {
    for (const counter of [details, partOf(bucketOf(task.createdAt), task.userId).details]) counter.addTask(task);
  });
  const all = details.details();
  return {
    totals: totals.numbers(),
    tasks: { ...all.tasks, isPartial: isPartial || undefined },
    personalData: all.personalData,
    series: series
      .entries()
      .map(([at, counter]) => ({ at, ...counter.numbers() }))
      .sort(byTime),
    tools: all.tools.slice(0, TOP),
    failures: [...failures]
      .map(([key, count]): FailureCount => {
        const [status = '', code = ''] = key.split(SEPARATOR);
        return { status: status === 'stopped' ? 'stopped' : 'failed', code, executions: count };
      })
      .sort((a, b) => b.executions - a.executions)
      .slice(0, TOP),
    users: known.sort((a, b) => b.executions - a.executions).slice(0, TOP),
    byUser: byUser
      .entries()
      .map(([key, part]) => {
        const end = key.indexOf(SEPARATOR);
        const place = { at: key.slice(0, end), userId: key.slice(end + SEPARATOR.length) };
        return { ...place, ...part.numbers.numbers(), ...part.details.details() };
      })
      .sort(byTime),
  };
}

/** Calls a function with each task of users, newest first. Returns whether there are more tasks than it reads. */
async function eachTask(
  tasks: Tasks | undefined,
  users: readonly string[],
  { fromMs, toMs }: UsageRange,
  use: (task: Task) => void,
): Promise<boolean> {
  let read = 0;
  for (const user of tasks ? users : []) {
    for (let before: string | undefined, isMore = true; isMore; ) {
      if (read >= MAX_TASKS) return true;
      const page = (await tasks?.list(user, { limit: TASK_PAGE, before })) ?? [];
      for (const task of page) {
        const ms = Date.parse(task.createdAt);
        if (ms >= fromMs && ms < toMs) use(task);
      }
      read += page.length;
      const last = page.at(-1);
      before = last?.id;
      isMore = page.length === TASK_PAGE && last !== undefined && Date.parse(last.createdAt) >= fromMs;
    }
  }
  return false;
}

function byTime(a: { readonly at: string }, b: { readonly at: string }): number {
  return a.at.localeCompare(b.at);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** Creates a counter. */
function detailCounter(): DetailCounter {
  const tools = keyed(() => ({ calls: 0, failed: 0, times: new Map<number, number>() }));
  const personalData: Record<string, number> = {};
  const tasks = { count: 0, inputTokens: 0, outputTokens: 0, costUsd: 0, unpriced: 0 };
  return {
    add(execution) {
      for (const { tool, calls, failed, times = {} } of execution.tools) {
        const sum = tools.of(tool);
        sum.calls += calls;
        sum.failed += failed;
        for (const [ms, count] of Object.entries(times))
          sum.times.set(Number(ms), (sum.times.get(Number(ms)) ?? 0) + count);
      }
      for (const [type, count] of Object.entries(execution.personalData ?? {}))
        personalData[type] = (personalData[type] ?? 0) + count;
    },
    addTask({ usage: { steps, inputTokens, outputTokens, costUsd } }) {
      tasks.count++;
      tasks.inputTokens += inputTokens;
      tasks.outputTokens += outputTokens;
      tasks.costUsd += costUsd ?? 0;
      // A task without a step has no price yet.
      if (costUsd === undefined && steps > 0) tasks.unpriced++;
    },
    details: () => ({
      tasks,
      personalData,
      tools: tools
        .entries()
        .map(([tool, { calls, failed, times }]) => ({ tool, calls, failed, ...percentilesOf(times) }))
        .sort((a, b) => b.calls - a.calls),
    }),
  };
}

/** Returns the percentiles of counted times. */
function percentilesOf(times: ReadonlyMap<number, number>) {
  const sorted = [...times].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  const at = (part: number) => {
    let before = 0;
    for (const [ms, count] of sorted) {
      before += count;
      if (before >= total * part) return ms;
    }
    return undefined;
  };
  return total === 0 ? {} : { p50Ms: at(0.5), p95Ms: at(0.95) };
}
