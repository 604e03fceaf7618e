import type { ShownOrigin } from '../config/policy/origins/words.ts';
import type { PauseEntry, PlanEntry } from './entries.ts';

/** The record of one tool call. */
export interface ToolCallRecord {
  /** Number of the call within its execution, from 1. */
  readonly number: number;
  /** Id of the tool, `server__tool`. */
  readonly tool: string;
  /** `unanswered` if the execution ended first: it is unknown whether the call took effect. */
  readonly status: 'answered' | 'failed' | 'unanswered';
  /** Milliseconds from the start of the call to its end; 0 if it is unanswered. */
  readonly durationMs: number;
  /** Bytes of the arguments as JSON; 0 if the call failed before they were measured. */
  readonly argumentBytes: number;
  /** Bytes of the result as JSON; 0 without a result. */
  readonly resultBytes: number;
  /** Code of the error of a failed call. */
  readonly code?: string;
  /** The field of the result that leads to its next page, if there is one. */
  readonly nextPage?: string;
}

/** The journal entry of a call that is about to be sent. */
export interface BegunCall {
  readonly number: number;
  readonly request?: number | undefined;
  readonly tool: string;
  /** JSON text. */
  readonly arguments: string;
  /** The key of the policy's limit that the call uses. */
  readonly limit?: string | undefined;
  readonly plan?: PlanEntry | undefined;
  readonly origins?: readonly ShownOrigin[] | undefined;
}

/**
 * The journal of an execution. `begin` returns after the operating system has the entry. That of `end` is written with the next entry, or
 * some milliseconds later: after a crash in between, the outcome of the call is unknown.
 */
export interface CallJournal {
  /** Writes a call before it is sent. With `mayShare`, calls that the program makes at once share a write, and each waits for it. */
  begin(entry: BegunCall): void;
  begin(entry: BegunCall, mayShare: boolean): Promise<void> | undefined;
  /** Writes that nothing of a call is under way: it is sent again, with this state, when its questions have decisions. */
  pause(entry: PauseEntry): void;
  /** Writes that a call is sent again, before it is. */
  resend(number: number): void;
  /** Writes the result or the error of a call; `result` is JSON text. */
  end(entry: { number: number; request?: number | undefined; ok: boolean; result: string }): void;
  /** Resolves when the entries before are as safe as the durability asks; undefined if they are. Raises `JOURNAL_UNSAFE`. */
  flushed(): Promise<void> | undefined;
}
