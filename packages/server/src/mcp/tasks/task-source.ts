import type { CallToolResult, InputRequiredSpec, ServerContext } from '@modelcontextprotocol/server';

/** The name of the tasks extension of MCP, version 2026-07-28. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** A call that goes on after its answer (Tasks extension: Task). */
export interface Task {
  readonly taskId: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  readonly statusMessage?: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** Milliseconds from its creation in which the task can be read. `null`: without an end. */
  readonly ttlMs: number | null;
  /** Milliseconds until the client should ask again. */
  readonly pollIntervalMs: number;
  /** With `input_required`: the open questions. */
  readonly inputRequests?: NonNullable<InputRequiredSpec['inputRequests']>;
  /** With `completed`: the result of the call, also of one that failed. */
  readonly result?: CallToolResult;
  /** With `failed`: the error of the protocol. */
  readonly error?: { readonly code: number; readonly message: string };
}

/** The tasks of one client. Each method answers `undefined` or `false` for an unknown id. */
export interface TaskSource {
  get(taskId: string, context: ServerContext): Promise<Task | undefined>;
  /** Gives answers to open questions. Ignores answers to others. */
  update(taskId: string, responses: Readonly<Record<string, unknown>>, context: ServerContext): Promise<boolean>;
  /** Asks the task to end. Does nothing when it has ended. */
  cancel(taskId: string, context: ServerContext): Promise<boolean>;
}
