import type { HistoryStatus } from '../../journal/history.ts';
import type { ExecutionSummary } from '../execution-summary.ts';

/** The calls of one tool in an execution: none for a tool whose first call waits for a person. */
export interface ToolCount {
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
  /** The number of answered calls by their milliseconds, to two digits. A pause for a login or an answer of a person does not count. */
  readonly times?: Readonly<Record<string, number>>;
}

/** The program, the calls and the cost of an execution, from its journal. */
export interface ExecutionFigures {
  readonly userId: string;
  /** The first characters of the program. */
  readonly preview: string;
  /** At most 20, the most called ones first. */
  readonly tools: readonly ToolCount[];
  readonly toolCalls: number;
  readonly toolErrors: number;
  /** Questions that wait for a person. */
  readonly openQuestions: number;
  /** The error of a failed execution, or the reason why it was stopped. */
  readonly error?: { readonly code: string; readonly message?: string };
  /** The limit that stopped it. */
  readonly limit?: string;
  readonly totalMs?: number;
  /** Tokens of the program, and of the output that a model reads. */
  readonly tokens?: { readonly code: number; readonly output: number };
  /** The number of different placeholders in its calls, by type. */
  readonly personalData?: Readonly<Record<string, number>>;
}

/** An execution in the index, as its journal has it. The journal stays the truth: a row can be written again from it. */
export interface ExecutionRow extends Omit<ExecutionSummary, 'status'>, ExecutionFigures {
  /** Start and id. Sorts by time. */
  readonly key: string;
  /** Absent for an execution that runs or was interrupted. */
  readonly status?: HistoryStatus;
  /** Id of the lease of the process that started it. */
  readonly owner?: string;
  /** Bytes of all arguments and results of its calls. */
  readonly callBytes: number;
}

/** A row with the text that a search reads. */
export interface IndexedRow extends ExecutionRow {
  /** All tools by which the row is found. */
  readonly toolNames: readonly string[];
  readonly text: string;
}

/** A row with the number of its last change in the index. Later changes have larger numbers. */
export interface StoredRow extends ExecutionRow {
  readonly change: number;
  /** Whether a living process runs it. Absent for one that has ended or is suspended. */
  readonly isRunning?: boolean;
}

const MS_DIGITS = 13;

/** Returns the key of an execution that started at a time. */
export function rowKey(startedMs: number, id: string): string {
  return `${String(startedMs).padStart(MS_DIGITS, '0')}.${id}`;
}

/** Returns the first key of a time: all executions since then have larger ones. */
export function keyAt(ms: number): string {
  return String(Math.max(0, Math.floor(ms))).padStart(MS_DIGITS, '0');
}

/** Returns the tokens of the program and its output together. */
export function tokensOf({ tokens }: { readonly tokens?: StoredRow['tokens'] }): number {
  return tokens ? tokens.code + tokens.output : 0;
}
