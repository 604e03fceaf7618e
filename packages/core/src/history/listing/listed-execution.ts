import type { ExecutionFilter, ExecutionStatus, ExecutionSummary } from '../execution-summary.ts';
import type { ExecutionFigures } from './row.ts';

export const DEFAULT_PAGE_EXECUTIONS = 50;
export const MAX_PAGE_EXECUTIONS = 200;

/** An execution with its calls and its cost, from its journal. */
export interface ListedExecution extends ExecutionSummary, ExecutionFigures {
  /** Tokens of all arguments and results of its calls, which a model without programs writes and reads: an estimate by their bytes. */
  readonly directTokens: number;
}

/** The conditions of a search for executions. All of them hold. */
export interface ExecutionQuery extends Omit<ExecutionFilter, 'status'> {
  /** Searches the executions of all users, instead of one. */
  readonly all?: boolean | undefined;
  /** Id of the one execution that can match. */
  readonly id?: string | undefined;
  readonly status?: ExecutionStatus | readonly ExecutionStatus[] | undefined;
  /** Id of a tool that it called; of a list, at least one. */
  readonly tool?: string | readonly string[] | undefined;
  /** Code of its error. */
  readonly error?: string | undefined;
  /** Words of its program, its error or its tools. Each may be the beginning of a word. */
  readonly text?: string | undefined;
  /** Tokens of its program and its output together. */
  readonly minTokens?: number | undefined;
  readonly minMs?: number | undefined;
  /** Only executions that wait for a person. */
  readonly hasQuestions?: boolean | undefined;
  /** Only dry runs. Default: all. */
  readonly isDryRun?: boolean | undefined;
  /** Started at this time or later. ISO 8601. */
  readonly from?: string | undefined;
  /** Started before this time. ISO 8601. */
  readonly to?: string | undefined;
  /** Whether the number of all matches is counted. Default: false. */
  readonly total?: boolean | undefined;
}

/** A page of executions, newest first. */
export interface FoundExecutions {
  readonly executions: readonly ListedExecution[];
  readonly nextCursor?: string;
  /** Absent for `running` without `interrupted`, and the reverse: they differ by the state of processes. */
  readonly total?: number;
  /** Set while the index is being built: older executions may be missing. */
  readonly isIndexing?: true;
}

/** A tool call that started or ended. */
export interface CallEvent {
  readonly number: number;
  readonly tool: string;
  readonly state: 'started' | 'answered' | 'failed';
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** The calls of one execution within a moment. */
export interface CallEvents {
  readonly executionId: string;
  readonly userId: string;
  readonly calls: readonly CallEvent[];
  /** Calls of the moment that are left out, because there are too many. */
  readonly omitted?: number;
}

/** The changes of a moment. */
export interface ExecutionBatch {
  /** Grows: pass it as `after` to continue. */
  readonly number: number;
  /** The executions that started, wait, went on or ended, as they are now. */
  readonly executions: readonly ListedExecution[];
  /** Calls of executions of this process. They are not repeated. */
  readonly calls: readonly CallEvents[];
  /** Set when changes are missing, because there were too many since the last batch: list the executions again. */
  readonly isReset?: true;
}

export interface FollowOptions {
  /** Default: `local`. */
  readonly userId?: string | undefined;
  /** Follows the executions of all users. */
  readonly all?: boolean | undefined;
  /** `number` of the last known batch. Default: none, and the first batch has the executions that have not ended. */
  readonly after?: number | undefined;
  /** Ends the batches. */
  readonly signal: AbortSignal;
}

/** An execution that started, or whose status has changed. */
export interface ExecutionChange {
  /** Grows from change to change: pass it as `after` to continue. */
  readonly number: number;
  readonly execution: ExecutionSummary;
}

export interface ExecutionChangesOptions {
  /** Default: `local`. */
  readonly userId?: string | undefined;
  /**
   * `number` of the last known change, which may come again. Default: none, and the changes begin with the executions that have not
   * ended.
   */
  readonly after?: number | undefined;
  /** Ends the changes. */
  readonly signal: AbortSignal;
}

/** The executions of a storage, by an index of their journals. */
export interface ExecutionListing {
  /**
   * Returns a page of executions with their calls and costs, newest first, from an index of the journals. It selects by status, session,
   * tool, error, cost, time and words. Show the executions of all users only to a person who may see them.
   */
  find(query?: ExecutionQuery): Promise<FoundExecutions>;
  /** Yields all executions of a query in parts, newest first. `limit` and `cursor` have no effect. */
  scan(query?: ExecutionQuery): AsyncIterable<readonly ListedExecution[]>;
  /**
   * Yields the executions that start, wait, go on or end, in any process of the data folder, in batches of about 100 ms. The calls of
   * this process are there too. A slow reader receives the last state of each execution only.
   */
  follow(options: FollowOptions): AsyncIterable<ExecutionBatch>;
  /**
   * Yields each execution of the user that starts, is suspended, goes on or ends, in any process of the data folder. Of several quick
   * changes of one execution, only the last may be yielded. A crash is no change: such an execution stays `running` here.
   */
  changes(options: ExecutionChangesOptions): AsyncIterable<ExecutionChange>;
}

/** Returns an execution without its calls and its cost. */
export function summaryOf(listed: ListedExecution): ExecutionSummary {
  const { userId: _user, preview: _preview, tools: _tools, toolCalls: _calls, toolErrors: _errors, ...facts } = listed;
  const { openQuestions: _questions, error: _error, limit: _limit, totalMs: _ms, tokens: _tokens, ...rest } = facts;
  const { personalData: _data, directTokens: _direct, ...summary } = rest;
  return summary;
}
