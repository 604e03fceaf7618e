/** How an execution ended. */
export type EndStatus = 'completed' | 'failed' | 'stopped' | 'cancelled';

/** The status of an execution in the history: of its end, or of a suspended one. */
export type HistoryStatus = EndStatus | 'suspended';

/** Returns the status of an end: a stopped execution whose caller cancelled it is `cancelled`. */
export function endStatus(status: string, limit: string | undefined): EndStatus {
  return status === 'stopped' && limit === 'cancelled' ? 'cancelled' : (status as EndStatus);
}

/** One execution in the history of its user. */
export interface HistoryEntry {
  /** Start and id. Sorts by time, and never changes. */
  readonly key: string;
  readonly id: string;
  readonly startedMs: number;
  readonly session?: string;
  /** Absent for an execution that runs or was interrupted. */
  readonly status?: HistoryStatus;
}
