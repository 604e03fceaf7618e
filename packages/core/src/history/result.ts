import type { LogLine } from '@toolwright/sandbox';
import type { ErrorKind } from '../errors.ts';
import type { ToolCallRecord } from '../journal/call-record.ts';
import type { PlanEntry, ShownQuestion, WaitKind } from '../journal/entries.ts';

/** An error that ended an execution. */
export interface ExecutionError {
  /**
   * The party that must act: the author of the program (`user`), a server (`upstream`), or the maintainers of
   * Toolwright (`internal`).
   */
  readonly kind: ErrorKind;
  /** Stable code, see `ErrorCode`. Errors that the program throws have `GUEST_ERROR` or the program's own code. */
  readonly code: string;
  /** Class name of the error in the program, for instance `TypeError`. */
  readonly name: string;
  readonly message: string;
  /** Place in the author's source. Both numbers start at 1. */
  readonly line?: number;
  readonly column?: number;
  /** The author's lines of the stack, innermost first. */
  readonly stack?: string;
  /** How to fix the program. */
  readonly hint?: string;
  /** The tool that failed, if the message is of its server. */
  readonly tool?: string;
}

/** Why an execution was stopped from outside: a limit, or the caller's signal. */
export type StopLimit = 'timeout' | 'memory' | 'toolCalls' | 'cancelled';

/** The part of an execution that a program asks for. */
export type ExecutionPart = 'value' | 'logs';

/** The file of a result over `limits.resultBytes`. */
export interface ResultFile {
  /** Path for programs of the same session. */
  readonly path: string;
  /** Path on the host. */
  readonly hostPath: string;
  readonly bytes: number;
}

/** An image or a recording that a program returned or showed, as a file in the workspace of its session. */
export interface MediaFile {
  /** `file`: another file that the program shows. Models receive its path only. */
  readonly type: 'image' | 'audio' | 'file';
  /** By the content of the file, such as `image/png`. */
  readonly mimeType: string;
  /** Path for programs of the same session. */
  readonly path: string;
  /** The name that the program gave the file. Absent for charts and for images of tools. */
  readonly name?: string;
  /** Path on the host. */
  readonly hostPath: string;
  readonly bytes: number;
}

/** The outcome of the check, and the times of the steps. */
export interface StepStats {
  /** Outcome of the check before the run: `passed`, `failed`, or `skipped: …` with the reason. */
  readonly check: string;
  readonly prepareMs: number;
  readonly checkMs: number;
  readonly runMs: number;
}

/** The cost of an execution. Times are milliseconds, sizes are bytes of JSON text, tokens are counted with o200k_base. */
export interface ExecutionStats extends StepStats {
  readonly sandbox: string;
  /** Why this sandbox was chosen. */
  readonly sandboxReason: string;
  /** Set when `auto` could not choose the strongest sandbox: why, and the fix. */
  readonly sandboxWarning?: string;
  readonly totalMs: number;
  readonly toolCalls: number;
  readonly toolErrors: number;
  readonly argumentBytes: number;
  readonly toolResultBytes: number;
  readonly resultBytes: number;
  /** Log bytes over `limits.logBytes`, which were dropped. */
  readonly droppedLogBytes: number;
  readonly tokens: {
    /** Tokens of the program. */
    readonly code: number;
    /** Tokens that a model reads: value or error, and logs. */
    readonly output: number;
  };
}

/** The values that a session keeps from a program for the next one. */
export interface KeptReport {
  readonly values: readonly { readonly name: string /** `DataFrame 1,204 × 8` */; readonly type: string }[];
  /** Values that could not be kept, with the reason. */
  readonly problems: readonly { readonly name: string; readonly problem: string }[];
}

/** The program returned. */
export interface CompletedOutcome {
  readonly status: 'completed';
  /** The returned value; a preview text if `file` is set. */
  readonly value?: unknown;
  /** The complete value, if it is over `limits.resultBytes`. */
  readonly file?: ResultFile;
  /** How to return a value, for a program that returned nothing; or which results have further pages that it did not read. */
  readonly note?: string;
  /** Present if the session keeps new values of the program, or could not. */
  readonly kept?: KeptReport;
}

/** The program, or something that it needs, raised an error. */
export interface FailedOutcome {
  readonly status: 'failed';
  readonly error: ExecutionError;
}

/** The program was stopped before its end. */
export interface StoppedOutcome {
  readonly status: 'stopped';
  readonly limit: StopLimit;
  /** The limit that was reached, and how to stay below it. */
  readonly message: string;
  /** Line of the author's source at which it was stopped. */
  readonly line?: number;
}

/**
 * A question that waits for a decision, for the person who decides. Its arguments and details are redacted. `question` is its number
 * within the call, if it is not the first one.
 */
export interface PendingQuestion extends ShownQuestion {
  /** Number of the call. */
  readonly call: number;
  /** ISO 8601, UTC. Absent within the execution that asks. */
  readonly askedAt?: string;
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
}

/** The program waits, and no sandbox is held. It goes on after a decision, or at its time. */
export interface SuspendedOutcome {
  readonly status: 'suspended';
  readonly waitingFor: readonly WaitKind[];
  /** The open questions, for the person who decides. */
  readonly pending: readonly PendingQuestion[];
  /** When it goes on without a decision: the next timer or expiry. ISO 8601, UTC. */
  readonly wakeAt: string;
}

/** How an execution ended. */
export type EndedOutcome = CompletedOutcome | FailedOutcome | StoppedOutcome;

/** How an execution ended, or why it waits. */
export type ExecutionOutcome = EndedOutcome | SuspendedOutcome;

/** A tool call of a dry run that reached the policy. */
export interface PlannedCall extends Omit<PlanEntry, 'binding' | 'toolBinding' | 'serverBinding'> {
  /** From 1, in the order in which the program made the calls. */
  readonly number: number;
  readonly tool: string;
  /** Redacted. */
  readonly arguments: unknown;
}

interface ExecutionFacts {
  /** Id of the execution, and the name of its journal. */
  readonly executionId: string;
  readonly logs: readonly LogLine[];
  readonly calls: readonly ToolCallRecord[];
  /** Images and recordings that the program returned or showed, at most 8. */
  readonly media?: readonly MediaFile[];
  /** Present for a dry run: its calls, with the decisions of the policy. Calls that failed before are missing. */
  readonly dryRun?: { readonly calls: readonly PlannedCall[] };
  readonly stats: ExecutionStats;
}

/**
 * The result of an execution. `T` is the type that the caller expects of the value; it is not checked. The value is
 * `undefined` for a program without a result, and a preview text if `file` is set.
 */
export type ExecutionResult<T = unknown> = ExecutionFacts &
  ((CompletedOutcome & { readonly value: T }) | FailedOutcome | StoppedOutcome | SuspendedOutcome);
