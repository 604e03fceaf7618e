import type { ExecutionResult } from '@toolwright/core';

/** The total costs of executions. Times are milliseconds, sizes bytes, tokens o200k_base. */
export interface Costs {
  executions: number;
  completed: number;
  failed: number;
  stopped: number;
  suspended: number;
  totalMs: number;
  toolCalls: number;
  toolErrors: number;
  toolResultBytes: number;
  codeTokens: number;
  outputTokens: number;
}

/** The costs of executions, by user and session. */
export interface Usage {
  add(user: string, session: string | undefined, result: ExecutionResult): void | Promise<void>;
  /** Returns the costs of one session, or of all executions of a user. */
  of(user: string, session?: string): Costs | Promise<Costs>;
  /** Returns the id of the last completed execution of a user. */
  lastCompleted(user: string): string | undefined | Promise<string | undefined>;
}

/** The most sessions with stored costs. Over the limit, the least recently used session is removed. */
const MAX_SESSIONS = 10_000;

/** Creates the counters of this process. They start at 0. */
export function createUsage(): Usage {
  const costs = new Map<string, Costs>();
  const completed = new Map<string, string>();
  const entry = (user: string, session?: string) => JSON.stringify(session === undefined ? [user] : [user, session]);
  const count = (key: string, result: ExecutionResult) => {
    const sum = costs.get(key) ?? nothing();
    for (const [name, amount] of Object.entries(costsOf(result))) sum[name as keyof Costs] += amount;
    keep(costs, key, sum);
  };
  return {
    add(user, session, result) {
      count(entry(user), result);
      if (session !== undefined) count(entry(user, session), result);
      if (result.status === 'completed') keep(completed, user, result.executionId);
    },
    of: (user, session) => costs.get(entry(user, session)) ?? nothing(),
    lastCompleted: (user) => completed.get(user),
  };
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_SESSIONS && oldest !== undefined) map.delete(oldest);
}

/** Returns the costs of one execution: whole numbers. */
export function costsOf({ status, stats }: ExecutionResult): Partial<Costs> {
  return {
    executions: 1,
    [status]: 1,
    totalMs: Math.round(stats.totalMs),
    toolCalls: stats.toolCalls,
    toolErrors: stats.toolErrors,
    toolResultBytes: stats.toolResultBytes,
    codeTokens: stats.tokens.code,
    outputTokens: stats.tokens.output,
  };
}

/** Returns no costs. */
export function nothing(): Costs {
  return {
    executions: 0,
    completed: 0,
    failed: 0,
    stopped: 0,
    suspended: 0,
    totalMs: 0,
    toolCalls: 0,
    toolErrors: 0,
    toolResultBytes: 0,
    codeTokens: 0,
    outputTokens: 0,
  };
}
