import type { LogLine } from '@toolwright/sandbox';
import type { ShownOrigin } from '../config/policy/origins/words.ts';
import type { ExecutionFilter, ExecutionSummary } from '../history/execution-summary.ts';
import type { ExecutionListing } from '../history/listing/listed-execution.ts';
import type { ExecutionResult, PendingQuestion } from '../history/result.ts';
import type { ShownEntry } from '../journal/recording/shown-entries.ts';
import type { ExecutionDiff } from './compare/differences.ts';
import type { DecideRequest } from './questions/decide.ts';
import type { DecidedQuestion } from './questions/decided-questions.ts';
import type { Replay } from './replay/replay.ts';
import type { ExecutionCaller } from './request.ts';

export type { ExecutionFilter, ExecutionStatus, ExecutionSummary } from '../history/execution-summary.ts';
export type { ExecutionChange, ExecutionChangesOptions } from '../history/listing/listed-execution.ts';

/** An execution with its program and its result. */
export interface ExecutionRecord extends ExecutionSummary {
  /** The program, as its author wrote it. */
  readonly source: string;
  /** The redacted result, as its caller received it. Absent where the journal does not have it. */
  readonly result?: ExecutionResult;
  /** The last 500 log lines, redacted, of a program that runs in this process. Those of an ended one are in its result. */
  readonly logs?: readonly LogLine[];
  /** The decision about a dry run. `at` is ISO 8601, UTC. */
  readonly decision?: { readonly action: string; readonly at: string; readonly by?: string; readonly note?: string };
}

/** Whether values have placeholders or the personal data that they stand for. */
export type ShownValues = 'redacted' | 'real';

/** A tool call of an execution. */
export interface ExecutionCall {
  /** From 1. */
  readonly number: number;
  readonly tool: string;
  /** `unknown`: the call was sent and not answered, so it may have taken effect. `pending`: it may still be answered. */
  readonly outcome: 'answered' | 'failed' | 'pending' | 'unknown';
  readonly startedAt: string;
  readonly endedAt?: string;
  /** The line of the program that made it, from 1. Known for the first calls of a program only. */
  readonly line?: number;
  readonly argumentBytes: number;
  /** Redacted. Absent over 16 KiB, or over another limit of the request. */
  readonly arguments?: unknown;
  /** The origins of the arguments in words, where the policy depends on them. */
  readonly origins?: readonly ShownOrigin[];
  /** Set for a call of a dry run that was not sent: its result is invented. */
  readonly isInvented?: true;
  readonly resultBytes?: number;
  /** The result, or the error of a failed call, redacted. Absent over the same limit. */
  readonly result?: unknown;
}

/** Reads the executions of a data folder. */
export interface ExecutionReader {
  /** Returns a page of the user's executions, newest first. It may be short: there are more while there is a `nextCursor`. */
  list(filter?: ExecutionFilter): Promise<{ readonly executions: ExecutionSummary[]; readonly nextCursor?: string }>;
  /**
   * Returns an execution. Its result is redacted; with `real`, personal data is restored as far as the policy of personal data lets the
   * user see it. Show real values to a person, never to a model. Raises `UNKNOWN_EXECUTION`.
   */
  get(id: string, userId?: string, options?: { readonly values?: ShownValues }): Promise<ExecutionRecord>;
  /** Returns the calls after the call number `after` (default 0), at most 500 (default 100). `values` is as in {@link get}. */
  calls(
    id: string,
    userId?: string,
    page?: {
      readonly after?: number | undefined;
      readonly limit?: number | undefined;
      readonly values?: ShownValues;
      /** Ids of tools: only their calls are returned and counted. Default: all. */
      readonly tools?: readonly string[] | undefined;
      /** Larger arguments and results are absent. Default: 16 KiB. At most 64 MiB. */
      readonly maxValueBytes?: number | undefined;
    },
  ): Promise<ExecutionCall[]>;
  /** Returns a page of the journal for a person: redacted, and without its codes. At most 500 entries, 200 by default. */
  journal(
    id: string,
    userId?: string,
    page?: {
      readonly after?: number | undefined;
      readonly limit?: number | undefined;
      /** Kinds of entries. Default: all. */
      readonly kinds?: readonly string[] | undefined;
    },
  ): Promise<{ readonly entries: readonly ShownEntry[]; readonly nextAfter?: number }>;
}

/**
 * The executions of a data folder, by their journals. Each belongs to one user: for other users, its id is unknown, and the
 * methods raise `UNKNOWN_EXECUTION`, as for an execution that never existed.
 */
export interface Executions extends ExecutionListing, ExecutionReader {
  /**
   * Returns a file that the result of an execution names by its path: a large value, or a shown image, recording or other file.
   * Undefined for a changed or removed one, and for any other path. Raises `UNKNOWN_EXECUTION`.
   */
  file(id: string, path: string, userId?: string): Promise<Buffer | undefined>;
  /**
   * Cancels a running or suspended execution, which ends a moment later: after about a second when another process of the data folder
   * runs it. Raises `EXECUTION_ENDED`.
   */
  cancel(id: string, userId?: string): Promise<ExecutionRecord>;
  /** Deletes an execution that has ended or was interrupted: its journal and its files. Raises `EXECUTION_RUNNING` for others. */
  remove(id: string, userId?: string): Promise<void>;
  /**
   * Returns the open questions of an execution. Their arguments are redacted; with `real`, personal data is restored as far as the policy
   * of personal data lets the user see it. Show real arguments to a person, never to a model.
   */
  questions(
    id: string,
    userId?: string,
    options?: { readonly arguments?: ShownValues },
  ): Promise<readonly PendingQuestion[]>;
  /**
   * Returns the questions of an execution that have a decision, in the order of their calls. The execution may not have applied it yet.
   * Raises `UNKNOWN_EXECUTION`.
   */
  decisions(id: string, userId?: string): Promise<readonly DecidedQuestion[]>;
  /**
   * Decides about open questions. The execution goes on where it runs; a suspended one goes on with {@link resume}, or in a process
   * that continues executions by itself. Only a person, or a program of yours, may call this: never pass it to a model. Returns the
   * numbers of the decided calls. A completed dry run is approved as a whole: see `approved` of `execute`. Raises `ALREADY_DECIDED`,
   * `EXECUTION_ENDED`, `CONFIG_INVALID`.
   */
  decide(id: string, request: DecideRequest): Promise<readonly number[]>;
  /**
   * Continues a suspended or interrupted execution from its journal: nothing that was sent is sent again. Resolves like `execute`.
   * Raises `EXECUTION_ENDED`, `EXECUTION_RUNNING`, `JOURNAL_DAMAGED`, and `NOT_SUPPORTED` when it cannot be replayed.
   */
  resume(id: string, options?: ResumeOptions): Promise<ExecutionResult>;
  /**
   * Starts a new execution that repeats the first calls of another one with their recorded answers, and goes on from there. Repeated
   * calls are not sent. It runs with the language, sandbox, session and limits of the other execution, under the policy of now;
   * approvals are not repeated. Resolves like `execute`; the error `REPLAY_MISMATCH` names a call that differs. Raises
   * `EXECUTION_RUNNING`, `JOURNAL_DAMAGED`, `CONFIG_INVALID`, and `NOT_SUPPORTED` when it cannot be replayed.
   */
  fork(id: string, options: ForkOptions): Promise<ExecutionResult>;
  /**
   * Compares two executions: their programs, their calls with arguments and answers, their logs and their outcomes. Raises `JOURNAL_DAMAGED`, and
   * `NOT_SUPPORTED` for a journal of another format.
   */
  diff(before: string, after: string, userId?: string): Promise<ExecutionDiff>;
  /**
   * Returns the text of a test file that runs the program with the answers of its journal, for vitest or for pytest and unittest. It
   * asserts the calls and the result, and needs nothing of Toolwright. Raises `NOT_SUPPORTED` with the reason for a program that cannot
   * be exported.
   */
  exportTest(id: string, userId?: string): Promise<string>;
  /**
   * Continues executions of all users by itself until it is disposed. Suspended ones go on after a decision and at their times, and those
   * that a crash interrupted within the last day at once. Servers do so. Several processes of a data folder may do it at once.
   */
  continueExecutions(): Disposable;
  /**
   * Runs the program again with the answers of the journal, and compares every request, the logs and the result. Nothing is sent, read
   * or written. Raises `JOURNAL_DAMAGED`, and `NOT_SUPPORTED` for an execution that cannot be replayed.
   */
  replay(id: string, userId?: string): Promise<Replay>;
}

/** The options of a fork. */
export interface ForkOptions extends Omit<ResumeOptions, 'onlyWithProgress'> {
  /**
   * Number of the last call whose recorded answer the fork repeats, as {@link Executions.calls} counts. 0: none. The calls after it are
   * sent.
   */
  readonly at: number;
  /** The program. Its first `at` calls must be the recorded ones. Default: the same program. */
  readonly code?: string | undefined;
  /** The answer to call `at`, as JSON data, instead of the recorded one. The call may have no recorded answer. */
  readonly answer?: unknown;
  /** Id of the new execution: a UUID that no other execution has. Default: a new one. */
  readonly executionId?: string | undefined;
  /** Receives the id of the new execution once its journal exists. */
  readonly onStart?: ((executionId: string) => void) | undefined;
}

/** The options of a continued execution. Its listeners receive the events of the past again. */
export interface ResumeOptions extends ExecutionCaller {
  readonly userId?: string | undefined;
  /**
   * Whether it raises `NOT_SUPPORTED` for an execution that was continued eight times in a row and did not get further. Default: false. An
   * execution that nobody asked to continue may end its process each time.
   */
  readonly onlyWithProgress?: boolean | undefined;
}

export const DEFAULT_PAGE_CALLS = 100;
export const MAX_PAGE_CALLS = 500;
export const MAX_CALL_VALUE_BYTES: number = 64 * 1024 * 1024;
export const DEFAULT_PAGE_ENTRIES = 200;
export const MAX_PAGE_ENTRIES = 500;
