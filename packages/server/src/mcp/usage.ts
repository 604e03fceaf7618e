import type { ExecutionResult } from '@toolwright/core';

/** What executions have cost together. Times are milliseconds, sizes bytes, tokens o200k_base. */
export interface Costs {
  executions: number;
  completed: number;
  failed: number;
  stopped: number;
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
  /** Of one session, or of all that a user ran. */
  of(user: string, session?: string): Costs;
  /** The id of the user's last execution that completed. */
  lastCompleted(user: string): string | undefined;
}

/** Sessions of which costs are remembered; the one that was used least recently is forgotten. */
const MAX_SESSIONS = 10_000;

/** Starts counting. */
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
    totalMs: 0,
    toolCalls: 0,
    toolErrors: 0,
    toolResultBytes: 0,
    codeTokens: 0,
    outputTokens: 0,
  };
}
