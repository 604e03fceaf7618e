import type { ListedExecution } from '@toolwright/core';

/** The numbers of some executions. */
export interface UsageNumbers {
  readonly executions: number;
  readonly completed: number;
  readonly failed: number;
  readonly stopped: number;
  readonly cancelled: number;
  /** They run, wait or were interrupted. */
  readonly open: number;
  readonly toolCalls: number;
  readonly toolErrors: number;
  /** Absent without an ended execution. */
  readonly p50Ms?: number;
  readonly p95Ms?: number;
  readonly directTokens: number;
  readonly usedTokens: number;
  /** Negative where programs cost more than they saved. */
  readonly savedTokens: number;
}

/** Collects the numbers of executions. */
export interface UsageCounter {
  add(execution: ListedExecution): void;
  numbers(): UsageNumbers;
}

const ENDS = ['completed', 'failed', 'stopped', 'cancelled'] as const;

/** Creates a counter. */
export function usageCounter(): UsageCounter {
  const counts = {
    executions: 0,
    completed: 0,
    failed: 0,
    stopped: 0,
    cancelled: 0,
    open: 0,
    toolCalls: 0,
    toolErrors: 0,
  };
  const durations: number[] = [];
  let [directTokens, usedTokens] = [0, 0];
  return {
    add({ status, toolCalls, toolErrors, totalMs, tokens, directTokens: direct }) {
      const end = ENDS.find((known) => known === status) ?? 'open';
      counts.executions++;
      counts[end]++;
      counts.toolCalls += toolCalls;
      counts.toolErrors += toolErrors;
      if (totalMs !== undefined) durations.push(totalMs);
      // Without its own tokens, an execution has no result yet that could be compared.
      if (tokens === undefined) return;
      directTokens += direct;
      usedTokens += tokens.code + tokens.output;
    },
    numbers() {
      durations.sort((a, b) => a - b);
      const [p50Ms, p95Ms] = [percentile(durations, 0.5), percentile(durations, 0.95)];
      return {
        ...counts,
        p50Ms,
        p95Ms,
        directTokens,
        usedTokens,
        savedTokens: directTokens - usedTokens,
      };
    },
  };
}

/** Returns the value below which this part of sorted values lies. */
export function percentile(sorted: readonly number[], part: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)];
}

/** Returns values by key, which are created when they are first needed. */
export function keyed<T>(create: () => T) {
  const values = new Map<string, T>();
  return {
    of(key: string): T {
      const value = values.get(key) ?? create();
      values.set(key, value);
      return value;
    },
    entries: (): (readonly [string, T])[] => [...values],
  };
}
