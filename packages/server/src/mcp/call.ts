import type { InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import type { Toolwright } from '@toolwright/core';
import type { ToolResponse } from '../agent/tool-response.ts';
import type { Usage } from './usage.ts';

/** Who calls, and what is there for them. */
export interface Caller {
  readonly toolwright: Toolwright;
  /** Whose sessions and skills these are. */
  readonly user: string;
  readonly usage: Usage;
}

/** Carries out one of our tools. The arguments have passed the input schema; what it throws is told to the client. It may ask the user first. */
export type Handler = (
  args: never,
  caller: Caller,
  context: ServerContext,
) => Promise<ToolResponse | InputRequiredResult>;
