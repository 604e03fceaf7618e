import type { WaitKind } from '../journal/entries.ts';
import type { HistoryStatus } from '../journal/history.ts';

/** The status of an execution. `interrupted`: its process ended before it. */
export type ExecutionStatus = 'running' | HistoryStatus | 'interrupted';

/** An execution in a list. */
export interface ExecutionSummary {
  readonly id: string;
  readonly status: ExecutionStatus;
  readonly language: string;
  readonly sandbox: string;
  /** Set for a dry run. */
  readonly isDryRun?: true;
  readonly sessionId?: string;
  /** The execution whose first calls this one repeats, and the number of the last one. Only for a fork. */
  readonly forkedFrom?: { readonly id: string; readonly at: number };
  /** The profile whose tools the program may use. Absent: all tools. */
  readonly profile?: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** ISO 8601, UTC. Absent for an execution that runs or was interrupted. */
  readonly endedAt?: string;
  /** Present for a suspended execution. */
  readonly waitingFor?: readonly WaitKind[];
  /** When a suspended execution goes on without a decision. ISO 8601, UTC. */
  readonly wakeAt?: string;
}

export interface ExecutionFilter {
  /** Default: `local`. */
  readonly userId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly status?: ExecutionStatus | undefined;
  /** Executions in the page: 1 to 200. Default: 50. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}
