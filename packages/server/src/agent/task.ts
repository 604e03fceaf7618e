import type { ExecuteRequest, ExecutionResult, PendingQuestion } from '@toolwright/core';
import type { LanguageName } from '@toolwright/sandbox';
import type { ExecutionWait } from '../code-tools/execution-end.ts';

/** A request in natural language. Without a `sessionId`, the task has a new session. */
export interface TaskRequest extends Readonly<Pick<ExecuteRequest, 'sessionId' | 'userId' | 'language' | 'sandbox'>> {
  /** The task, in the user's words. */
  readonly task: string;
  /** `provider/name`, for instance `anthropic/claude-sonnet-4-5`. Default: the configured model. */
  readonly model?: string | undefined;
  readonly limits?: ChangedTaskLimits | undefined;
  /** The profile whose tools its programs may use. Default: the setting `defaultProfile`. */
  readonly profile?: string | undefined;
}

/** Limits of a task. A reached limit ends the task as `stopped`. */
export interface TaskLimits {
  /** Answers of the model. */
  readonly steps: number;
  /** Tokens in and out, together. */
  readonly tokens: number;
  /** US dollars, where the model's price is known. */
  readonly costUsd: number;
  /** Milliseconds since the start of the work. */
  readonly timeoutMs: number;
}

/** Limits that differ from the default. */
export type ChangedTaskLimits = { readonly [Name in keyof TaskLimits]?: TaskLimits[Name] | undefined };

/** All statuses of a task. */
export const TASK_STATUSES = [
  ...(['queued', 'running', 'waiting', 'completed', 'stopped', 'failed', 'cancelled', 'interrupted'] as const),
] as const;

/**
 * `waiting`: its program waits for a person, see `Task.pending`. `interrupted`: the process ended before the task. The task can be
 * resumed.
 */
export type TaskStatus = (typeof TASK_STATUSES)[number];

export interface TaskUsage {
  readonly steps: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Absent when the price is unknown. */
  readonly costUsd?: number;
}

/** One execution of a program of the model. */
export interface TaskExecution {
  readonly id: string;
  readonly status: ExecutionResult['status'];
  readonly toolCalls: number;
  readonly ms: number;
}

/** An open question of the program that runs. Its arguments and details are redacted. */
export interface TaskQuestion extends PendingQuestion {
  readonly executionId: string;
}

/** The state of a task. */
export interface Task {
  readonly id: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly task: string;
  readonly model: string;
  /** The profile whose tools its programs may use. Absent: that of the setting `defaultProfile`. */
  readonly profile?: string | undefined;
  readonly status: TaskStatus;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly endedAt?: string;
  readonly answer?: string;
  /** Whether `answer` has personal data in place of placeholders: it is for the user, and for no model. */
  readonly isRestored?: boolean;
  readonly error?: { readonly code: string; readonly message: string };
  /** The limit that stopped it. */
  readonly limit?: keyof TaskLimits;
  readonly executions: readonly TaskExecution[];
  /** The questions for which the task waits. Set while its status is `waiting`. */
  readonly pending?: readonly TaskQuestion[];
  readonly usage: TaskUsage;
}

/** One event of a task. Events are redacted like the input of a model. */
export type TaskEvent = { readonly number: number } & (
  | { readonly type: 'status'; readonly status: TaskStatus }
  | { readonly type: 'text-delta'; readonly text: string }
  /** The request to the model is repeated: discard the text since the last event of another type. */
  | { readonly type: 'retry'; readonly reason: string; readonly afterMs: number }
  | { readonly type: 'code'; readonly call: string; readonly language: LanguageName; readonly code: string }
  /** A call of a program, or a direct call of `search_tools` or `get_tool_definition` by the model. */
  | { readonly type: 'tool-call'; readonly call: string; readonly tool: string }
  | { readonly type: 'log'; readonly call: string; readonly level: string; readonly text: string }
  | { readonly type: 'progress'; readonly call: string; readonly value: unknown }
  /**
   * The execution of a program waits for a person or a time, or for something else than before. The questions are answered outside of the
   * task. The status `waiting` follows at the first question, and `running` after the last one.
   */
  | ({ readonly type: 'waiting'; readonly call: string; readonly execution: string } & ExecutionWait)
  | { readonly type: 'result'; readonly call: string; readonly execution?: TaskExecution; readonly text: string }
  | { readonly type: 'usage'; readonly usage: TaskUsage }
  /** The task is still interrupted. */
  | { readonly type: 'resume-failed'; readonly error: { readonly code: string; readonly message: string } }
  | { readonly type: 'end'; readonly task: Task }
);

/** A part of the list of tasks. */
export interface TaskPage {
  /** Default: 20, at most 200. */
  readonly limit?: number | undefined;
  /** Tasks that are older than this one. */
  readonly before?: string | undefined;
  /** Tasks of one session. */
  readonly sessionId?: string | undefined;
}

/** Passes an accepted task to a process that calls `ClusterTasks.run`. An error that it raises refuses the task. */
export type SubmitTask = (taskId: string, task: Readonly<Pick<Task, 'userId' | 'sessionId'>>) => Promise<void>;

/**
 * The tasks of a data folder or of a cluster. Each task belongs to one user. For other users the methods raise `UNKNOWN_TASK`, as for a
 * task that never existed.
 */
export interface Tasks extends AsyncDisposable {
  /** Queues a task. `id` is a UUID that no other task has; by default a new one. Raises `CONFIG_INVALID`, `UNKNOWN_SESSION`, `BUSY`. */
  start(request: TaskRequest, id?: string, beforeStart?: () => void): Promise<Task>;
  get(id: string, userId?: string): Promise<Task>;
  /** Returns the user's tasks, newest first. */
  list(userId?: string, page?: TaskPage): Promise<readonly Task[]>;
  /**
   * Cancels a task and waits for its end. An ended task stays unchanged. Raises `TASK_RUNNING` when another process of a data folder
   * runs the task; in a cluster, any process cancels it.
   */
  cancel(id: string, userId?: string): Promise<Task>;
  /**
   * Continues an interrupted task from its transcript. No tool effect is repeated. Waits until the lease of a dead process
   * has expired. Raises `TASK_RUNNING` when another process runs the task.
   */
  resume(id: string, userId?: string): Promise<Task>;
  /**
   * Yields past and future events after the event with the number `after` (default 0), until the task has ended. A reader
   * of a running task also receives its interruption and its resume. For a task that is interrupted already, it ends.
   */
  events(
    id: string,
    options?: { userId?: string | undefined; after?: number; signal?: AbortSignal },
  ): AsyncIterable<TaskEvent>;
  /** Resolves when a task has ended. */
  ended(id: string, options?: { userId?: string | undefined; signal?: AbortSignal }): Promise<Task>;
}

/** The tasks of one process of a cluster. */
export interface ClusterTasks extends Tasks {
  /**
   * Runs a task that another process has accepted, or continues the task of a dead process. For workers of a cluster: the task may belong
   * to any user, and its answer is redacted. Resolves when this process has done its part:
   * - with an ended task;
   * - with a `queued` one after `signal`: another process must run it;
   * - with an `interrupted` one after its fifth crash: a person resumes it.
   *
   * Raises `TASK_RUNNING` while another process has the lease (5 s), and `TASK_TAKEN_OVER` when this one has lost it. Also raises
   * `UNKNOWN_TASK` and `CLOSED`.
   */
  run(id: string, options?: { readonly signal?: AbortSignal }): Promise<Task>;
  /** Returns up to 1,000 tasks that a process must `run`: nobody has begun them, or their process is dead. */
  waiting(): Promise<readonly Task[]>;
}

/** An event without its number. */
export type NewEvent = TaskEvent extends infer Event
  ? Event extends TaskEvent
    ? Omit<Event, 'number'>
    : never
  : never;
