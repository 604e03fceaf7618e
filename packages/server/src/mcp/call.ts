import type { ClientCapabilities, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import type { Toolwright } from '@toolwright/core';
import type { ToolResponse } from '../agent/loop/tool-response.ts';
import type { RecentTools } from './instructions/recent-tools.ts';
import type { ApprovalState } from './questions/approval-state.ts';
import type { CreatedTask } from './tasks/serve-tasks.ts';
import type { Usage } from './usage/usage.ts';

/** The user of a call, with the services for its handler. */
export interface Caller {
  readonly toolwright: Toolwright;
  /** The owner of the sessions and skills. */
  readonly user: string;
  readonly usage: Usage;
  /** The tools that the programs of users called lately. */
  readonly recent: RecentTools;
  /** Whether the user of the client may decide about approvals. */
  readonly mayDecide: boolean;
  /** Counts a program that starts and returns a function to call at its end. Raises `QUOTA_EXCEEDED`. */
  enter(): () => void;
  /** Returns the capabilities that the client has declared. */
  capabilitiesOf(context: ServerContext): ClientCapabilities | undefined;
  /** Milliseconds after which a call of a client with the tasks extension goes on as a task. */
  readonly taskAfterMs: number;
  /** Signs the state of a question for this user. */
  sealState(state: ApprovalState, context: ServerContext): Promise<string>;
}

/**
 * Runs one tool of the MCP server. The arguments have passed the input schema. The client receives the errors. The handler
 * may request input of the user first.
 */
export type Handler = (args: never, caller: Caller, context: ServerContext) => Promise<HandlerResult>;

/** The answer to a call: a response, a question to the user, or a task. */
export type HandlerResult = ToolResponse | InputRequiredResult | CreatedTask;
