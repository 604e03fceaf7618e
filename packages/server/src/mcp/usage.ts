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

/** The costs of all executions since the start, by user and session. */
export interface Usage {
  add(user: string, session: string | undefined, result: ExecutionResult): void;
  /** Returns the costs of one session, or of all executions of a user. */
  of(user: string, session?: string): Costs;
  /** Returns the id of the last completed execution of a user. */
  lastCompleted(user: string): string | undefined;
}

/** The most sessions with stored costs. Over the limit, the least recently used session is removed. */
const MAX_SESSIONS = 10_000;

/** Creates the counters of costs. They start at 0. */
export function createUsage(): Usage {
  const costs = new Map<string, Costs>();
  const completed = new Map<string, string>();
  const entry = (user: string, session?: string) => JSON.stringify(session === undefined ? [user] : [user, session]);
  const count = (key: string, result: ExecutionResult) => {
    const sum = costs.get(key) ?? nothing();
    sum.executions++;
    sum[result.status]++;
    sum.totalMs = Math.round(sum.totalMs + result.stats.totalMs);
    sum.toolCalls += result.stats.toolCalls;
    sum.toolErrors += result.stats.toolErrors;
    sum.toolResultBytes += result.stats.toolResultBytes;
    sum.codeTokens += result.stats.tokens.code;
    sum.outputTokens += result.stats.tokens.output;
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

function nothing(): Costs {
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
