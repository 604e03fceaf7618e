import type { LogLine } from '@toolwright/sandbox';
import type { HistoryStatus } from '../../journal/history.ts';

/** The differences between two executions, in their order. Values are redacted, as in the journals. */
export interface ExecutionDiff {
  /** Whether both did the same. Their programs may differ. */
  readonly status: 'identical' | 'different';
  /** Present if the programs differ. `diff` is unified; absent for programs that differ too much. */
  readonly program?: { readonly diff?: string };
  /** The calls that differ. */
  readonly calls: readonly CallDifference[];
  /** The log lines that differ. Empty if an execution has not ended. */
  readonly logs: readonly LogDifference[];
  /** Both outcomes, if they differ. */
  readonly outcome?: { readonly before: ComparedOutcome; readonly after: ComparedOutcome };
}

/** A call of one execution only, or of both with other arguments or another answer. */
export type CallDifference =
  | { readonly change: 'removed'; readonly before: ComparedCall }
  | { readonly change: 'added'; readonly after: ComparedCall }
  | { readonly change: 'changed'; readonly before: ComparedCall; readonly after: ComparedCall };

/** A log line of one execution only. */
export type LogDifference = { readonly change: 'removed' | 'added' } & LogLine;

/** A tool call of a compared execution. */
export interface ComparedCall {
  /** From 1. */
  readonly number: number;
  readonly tool: string;
  readonly outcome: 'answered' | 'failed' | 'unanswered';
  /** Absent over 16 KiB. */
  readonly arguments?: unknown;
  readonly argumentBytes: number;
  /** The result, or the error of a failed call. Absent over 16 KiB. */
  readonly result?: unknown;
  readonly resultBytes?: number;
}

/** The end of a compared execution. */
export interface ComparedOutcome {
  readonly status: HistoryStatus | 'running' | 'interrupted';
  readonly value?: unknown;
  readonly error?: { readonly code: string; readonly name: string; readonly message: string; readonly line?: number };
}
