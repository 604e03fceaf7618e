import type { ExecutionQuery, Executions } from '@toolwright/core';
import type { Task, Tasks } from '../../agent/task.ts';
import type { Subjects } from '../user.ts';
import { detailCounter, type TaskCosts, type UsageDetails } from './usage-details.ts';
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
export interface UsageReport extends Pick<UsageDetails, 'personalData' | 'tools'> {
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
export interface FailureCount {
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

/** Adds up the executions and tasks of users within a time. Dry runs do not count. */
export async function usageReport(
  { executions, tasks }: { readonly executions: Pick<Executions, 'scan'>; readonly tasks: Tasks | undefined },
  { fromMs, toMs, bucket, subjects }: UsageRange,
): Promise<UsageReport> {
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
  const isPartial = await eachTask(tasks, names, { fromMs, toMs }, (task) => {
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
  { fromMs, toMs }: Pick<UsageRange, 'fromMs' | 'toMs'>,
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
