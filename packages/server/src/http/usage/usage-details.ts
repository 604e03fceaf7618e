import type { ListedExecution } from '@toolwright/core';
import type { Task } from '../../agent/task.ts';

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
  readonly tools: readonly { readonly tool: string; readonly calls: number; readonly failed: number }[];
}

/** Collects the details of executions and tasks. */
export interface DetailCounter {
  add(execution: ListedExecution): void;
  addTask(task: Task): void;
  details(): UsageDetails;
}

/** Creates a counter. */
export function detailCounter(): DetailCounter {
  const tools = new Map<string, { calls: number; failed: number }>();
  const personalData: Record<string, number> = {};
  const tasks = { count: 0, inputTokens: 0, outputTokens: 0, costUsd: 0, unpriced: 0 };
  return {
    add(execution) {
      for (const { tool, calls, failed } of execution.tools) {
        const before = tools.get(tool) ?? { calls: 0, failed: 0 };
        tools.set(tool, { calls: before.calls + calls, failed: before.failed + failed });
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
      tools: [...tools].map(([tool, counts]) => ({ tool, ...counts })).sort((a, b) => b.calls - a.calls),
    }),
  };
}
