import type { Machine } from './machine.ts';

/** One item of the documents: a program, request, tool call, setting, command or property. */
export interface Row {
  /** The words of the documents, as a reader looks for them. */
  readonly item: string;
  /**
   * The documents that have the item. H is the README of the TypeScript harness, N the same with n8n, and S the summary of its
   * implementation. P is the README of the Python implementation, and M that of the Python MCP server.
   */
  readonly from: string;
  /** Set where Toolwright differs on purpose: why, and what to use instead. */
  readonly differs?: string;
  /** Shows that the item works, or that the replacement does. */
  readonly check: (machine: Machine) => Promise<void> | void;
}

/** The rows of one part of the table. */
export interface Part {
  readonly title: string;
  readonly rows: readonly Row[];
}
