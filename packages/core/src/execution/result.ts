import type { LogLine } from '@toolwright/sandbox';
import type { ErrorKind } from '../errors.ts';
import type { ToolCallRecord } from '../tool-calls/record.ts';

/** Why an execution ended without a value. */
export interface ExecutionError {
  /** Whose fault it is: the author's (or the tool's refusal), an upstream's, or ours. */
  readonly kind: ErrorKind;
  /** Stable code, see `ErrorCode`; the author's own errors are `GUEST_ERROR`. */
  readonly code: string;
  /** The error's class name as the author knows it, for instance `TypeError`. */
  readonly name: string;
  readonly message: string;
  /** Place in the author's source, both from 1. */
  readonly line?: number;
  readonly column?: number;
  /** The author's lines of the stack, innermost first. */
  readonly stack?: string;
  /** What to change. */
  readonly hint?: string;
}

/** What ends an execution from outside: a limit, or the caller's signal. */
export type StopLimit = 'timeout' | 'memory' | 'toolCalls' | 'cancelled';

/** Where a result that is too large for the caller was put. */
export interface ResultFile {
  /** Path as the guest of the same session reads it. */
  readonly path: string;
  /** Path on the host. */
  readonly hostPath: string;
  readonly bytes: number;
}

/** What an execution cost. Times are milliseconds, sizes bytes of JSON text, tokens o200k_base. */
export interface ExecutionStats {
  readonly sandbox: string;
  /** Why this sandbox ran it. */
  readonly sandboxReason: string;
  /** How the check before the run ended: `passed`, `failed`, or `skipped: …` with the reason. */
  readonly check: string;
  readonly prepareMs: number;
  readonly checkMs: number;
  readonly runMs: number;
  readonly totalMs: number;
  readonly toolCalls: number;
  readonly toolErrors: number;
  readonly argumentBytes: number;
  readonly toolResultBytes: number;
  readonly resultBytes: number;
  /** Log bytes that were dropped because of the limit. */
  readonly droppedLogBytes: number;
  readonly tokens: {
    /** The program, as the model wrote it. */
    readonly code: number;
    /** Value, error and logs: what the model reads. */
    readonly output: number;
  };
}

interface ExecutionFacts {
  readonly id: string;
  readonly logs: readonly LogLine[];
  readonly calls: readonly ToolCallRecord[];
  readonly stats: ExecutionStats;
}

/** How an execution ended. */
export type ExecutionResult = ExecutionFacts &
  (
    | {
        readonly status: 'completed';
        /** The program's value; a preview text when `file` is there. */
        readonly value?: unknown;
        /** Set when the value was over `resultBytes`: the whole of it. */
        readonly file?: ResultFile;
      }
    | { readonly status: 'failed'; readonly error: ExecutionError }
    | {
        readonly status: 'stopped';
        readonly limit: StopLimit;
        /** What was reached, and what to do. */
        readonly message: string;
        readonly line?: number;
      }
  );
