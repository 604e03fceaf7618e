import type { Machine } from './machine.ts';

/** The documents that describe the system: harnesses in TypeScript, and two implementations in Python. */
export const DOCUMENTS = {
  H: 'README of the TypeScript harness',
  N: 'README of the TypeScript harness with n8n',
  S: 'summary of its implementation',
  P: 'README of the Python implementation',
  M: 'README of the Python MCP server',
} as const;

/** One item of the documents: a program, request, tool call, setting, command or property. */
export interface Row {
  /** The words of the documents, as a reader looks for them. */
  readonly item: string;
  /** Letters of {@link DOCUMENTS}. */
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
