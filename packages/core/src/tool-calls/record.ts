/** What became of one tool call. */
export interface ToolCallRecord {
  /** Number of the call within its execution, from 1. */
  readonly number: number;
  /** The tool, `server__tool`. */
  readonly tool: string;
  /** `unanswered` when the execution ended first: whether it took effect is unknown. */
  readonly status: 'answered' | 'failed' | 'unanswered';
  readonly durationMs: number;
  readonly argumentBytes: number;
  readonly resultBytes: number;
  /** Code of the error, when it failed. */
  readonly code?: string;
}

/** The journal of an execution; every method returns after the entry is on disk. */
export interface CallJournal {
  /** Before the call is sent. */
  begin(entry: { number: number; tool: string; arguments: string }): void;
  /** After it was answered; `result` is JSON text. */
  end(entry: { number: number; ok: boolean; result: string }): void;
}
