import type { InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import type { Toolwright } from '@toolwright/core';
import type { ToolResponse } from '../agent/tool-response.ts';
import type { Usage } from './usage.ts';

/** The user of a call, with the services for its handler. */
export interface Caller {
  readonly toolwright: Toolwright;
  /** The owner of the sessions and skills. */
  readonly user: string;
  readonly usage: Usage;
}

/**
 * Runs one tool of the MCP server. The arguments have passed the input schema. The client receives the errors. The handler
 * may request input of the user first.
 */
export type Handler = (
  args: never,
  caller: Caller,
  context: ServerContext,
) => Promise<ToolResponse | InputRequiredResult>;
