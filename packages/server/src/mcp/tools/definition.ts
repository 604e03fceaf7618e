import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { ToolSpec } from '../../code-tools/definitions.ts';

/** The definition of one tool of the MCP server. */
export interface Definition extends ToolSpec {
  readonly title: string;
  readonly annotations: ToolAnnotations;
  /** Facts for clients, which no model reads. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}
