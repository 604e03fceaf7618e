import type { ListedExecution } from '@toolwright/core';
import type { Task } from '../../agent/task.ts';
import { keyed } from './usage-totals.ts';

/** The tasks of some time, and their cost. */
export interface TaskCosts {
  readonly count: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the tasks whose model has a known price. */
  readonly costUsd: number;
  /** Tasks whose model has no known price. */
  readonly unpriced: number;
}

/** The tasks, tools and personal data of some executions. */
export interface UsageDetails {
  readonly tasks: TaskCosts;
  /** Different placeholders of each execution, by type. */
  readonly personalData: Readonly<Record<string, number>>;
  /** The most called ones first. */
  readonly tools: readonly ToolUsage[];
}

/** The calls of one tool. */
export interface ToolUsage {
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
  /** Milliseconds of answered calls, to two digits. Absent without an answered call. */
  readonly p50Ms?: number;
  readonly p95Ms?: number;
}

/** Collects the details of executions and tasks. */
export interface DetailCounter {
  add(execution: ListedExecution): void;
  addTask(task: Task): void;
  details(): UsageDetails;
}

/** Creates a counter. */
export function detailCounter(): DetailCounter {
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
function percentilesOf(times: ReadonlyMap<number, number>): Pick<ToolUsage, 'p50Ms' | 'p95Ms'> {
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
