import type { ExecutionResult } from '@toolwright/core';
import type { LanguageName } from '@toolwright/sandbox';

/** A request in natural language, as a front door takes it. */
export interface TaskRequest {
  /** What is to be done, in the user's words. */
  readonly task: string;
  /** Whose task it is; `local` when nobody says. */
  readonly user?: string;
  /** Id of the session to continue: its files, its placeholders and what was said before. A new one when not given. */
  readonly session?: string;
  /** `provider/name`, as `anthropic/claude-sonnet-4-5`; default: the configured one. */
  readonly model?: string;
  /** What the model writes; TypeScript by default. */
  readonly language?: LanguageName;
  /** Name of the sandbox that its programs run in; never replaced by another. Default: the Toolwright's choice. */
  readonly sandbox?: string;
  readonly limits?: Partial<TaskLimits>;
}

/** What a task may use up; each ends it as `stopped`. */
export interface TaskLimits {
  /** Answers of the model. */
  readonly steps: number;
  /** Tokens in and out, together. */
  readonly tokens: number;
  /** US dollars, where the model's price is known. */
  readonly costUsd: number;
  readonly timeMs: number;
}

/** `interrupted`: the process ended first; it can be continued. */
export type TaskStatus = 'queued' | 'running' | 'completed' | 'stopped' | 'failed' | 'cancelled' | 'interrupted';

export interface TaskUsage {
  readonly steps: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Absent where the price is not known. */
  readonly costUsd?: number;
}

/** One program that the model had run. */
export interface TaskExecution {
  readonly id: string;
  readonly status: ExecutionResult['status'];
  readonly toolCalls: number;
  readonly ms: number;
}

/** How a task stands. */
export interface Task {
  readonly id: string;
  readonly session: string;
  readonly user: string;
  readonly task: string;
  readonly model: string;
  readonly status: TaskStatus;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly endedAt?: string;
  readonly answer?: string;
  readonly error?: { readonly code: string; readonly message: string };
  /** The limit that stopped it. */
  readonly limit?: keyof TaskLimits;
  readonly executions: readonly TaskExecution[];
  readonly usage: TaskUsage;
}

/** What happens in a task, in order. Everything in it is protected as for a model. */
export type TaskEvent = { readonly number: number } & (
  | { readonly type: 'status'; readonly status: TaskStatus }
  | { readonly type: 'text-delta'; readonly text: string }
  /** The model is asked again after a failure: text since the last event of another type is void. */
  | { readonly type: 'retry'; readonly reason: string; readonly afterMs: number }
  | { readonly type: 'code'; readonly call: string; readonly language: LanguageName; readonly code: string }
  /** Of a program, or `search_tools` and `get_tool_definition` of the model itself. */
  | { readonly type: 'tool-call'; readonly call: string; readonly tool: string }
  | { readonly type: 'log'; readonly call: string; readonly level: string; readonly text: string }
  | { readonly type: 'progress'; readonly call: string; readonly value: unknown }
  | { readonly type: 'result'; readonly call: string; readonly execution?: TaskExecution; readonly text: string }
  | { readonly type: 'usage'; readonly usage: TaskUsage }
  | { readonly type: 'end'; readonly task: Task }
);

/**
 * The tasks of a data folder. Each belongs to one user: to another it is not there (`UNKNOWN_TASK`, in the same words as
 * one that never was).
 */
export interface Tasks extends AsyncDisposable {
  /** Takes a task on; it runs as soon as there is room. Raises `CONFIG_INVALID`, `UNKNOWN_SESSION`, `BUSY`. */
  start(request: TaskRequest): Promise<Task>;
  get(id: string, user?: string): Promise<Task>;
  /** The user's tasks, newest first. */
  list(user?: string, page?: { readonly limit?: number; readonly before?: string }): Promise<readonly Task[]>;
  /** Ends a task that has not ended; one that has stays as it is. */
  cancel(id: string, user?: string): Promise<Task>;
  /** Goes on with a task that was interrupted, from its transcript; no tool effect is repeated. */
  resume(id: string, user?: string): Promise<Task>;
  /** What happened after the event of a number (0: from the start), and what happens, until the task has ended. */
  events(id: string, options?: { user?: string; after?: number; signal?: AbortSignal }): AsyncIterable<TaskEvent>;
  /** Resolves when a task has ended. */
  ended(id: string, options?: { user?: string; signal?: AbortSignal }): Promise<Task>;
}
