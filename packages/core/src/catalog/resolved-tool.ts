import type { Tool, ToolEndpoint } from '@toolwright/connectors';
import type { ToolWriter } from './signatures/writer.ts';

/** A tool, and the parts that a call of it needs. */
export interface ResolvedTool {
  readonly tool: Tool;
  /** Sends the call, with the name `tool.definition.name`. */
  readonly connector: ToolEndpoint;
  /** Writes signatures and types in the language of the program. */
  readonly writer: ToolWriter;
}
