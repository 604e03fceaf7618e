import type { Status } from '../api/client.ts';
import type { ListedExecution } from '../api/types.ts';

/** An ended execution in the log of a session. */
export interface LoggedExecution {
  /** The time of its end. */
  readonly at: string;
  readonly executionId: string;
  readonly status: Status;
  readonly ms: number;
  readonly code?: string;
}

/** An execution of a session. */
export interface SessionExecution {
  readonly executionId: string;
  readonly status: Status;
  readonly waitingFor?: readonly string[] | undefined;
  /** Milliseconds since the epoch. */
  readonly startMs: number;
  /** Absent until it ends. */
  readonly ms?: number;
  /** The start of the program. */
  readonly code: string;
}

/**
 * Returns the executions of a session, newest first. The list has the running ones. The log keeps executions that the list no longer
 * has.
 */
export function sessionExecutions(
  logged: readonly LoggedExecution[],
  listed: readonly ListedExecution[],
): readonly SessionExecution[] {
  const found = new Map<string, SessionExecution>();
  for (const { executionId, status, at, ms, code = '' } of logged)
    found.set(executionId, { executionId, status, startMs: Date.parse(at) - ms, ms, code });
  for (const { executionId, status, waitingFor, startedAt, endedAt, totalMs, preview } of listed) {
    const startMs = Date.parse(startedAt);
    const ms = totalMs ?? (endedAt === undefined ? undefined : Date.parse(endedAt) - startMs);
    // A change of the stream has no program.
    const code = preview === '' ? (found.get(executionId)?.code ?? '') : preview;
    found.set(executionId, { executionId, status, waitingFor, startMs, code, ms });
  }
  return [...found.values()].sort((a, b) => b.startMs - a.startMs);
}
