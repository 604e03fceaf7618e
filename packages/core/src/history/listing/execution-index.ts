import type { HistoryStatus } from '../../journal/history.ts';
import type { IndexedRow, StoredRow } from './row.ts';

/** The rows that a query returns. Absent conditions hold for every row. */
export interface RowFilter {
  readonly id?: string | undefined;
  readonly userId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** `open`: runs or was interrupted. */
  readonly statuses?: readonly (HistoryStatus | 'open')[] | undefined;
  /** Ids of tools, of which it called at least one. */
  readonly tools?: readonly string[] | undefined;
  /** Code of the error. */
  readonly error?: string | undefined;
  /** Words of the program, the error and the tools. Each is the beginning of a word there. */
  readonly words?: readonly string[] | undefined;
  /** Tokens of the program and its output together. */
  readonly minTokens?: number | undefined;
  readonly minMs?: number | undefined;
  readonly hasQuestions?: boolean | undefined;
  readonly isDryRun?: boolean | undefined;
  /** Keys from this one on. */
  readonly from?: string | undefined;
  /** Keys before this one. */
  readonly before?: string | undefined;
}

/** The index of executions: rows that are found by time, user, status, tool, error, cost and words. Its methods raise the errors of the database. */
export interface ExecutionIndex {
  /** Milliseconds between two calls of `catchUp`. */
  readonly catchUpMs: number;
  /** Writes rows over older ones. Each gets the number of a new change, in this order, unless it is there already. */
  write(rows: readonly IndexedRow[]): Promise<void>;
  /** Writes the rows of executions as their journals are now. A later call of this process reads the journals later. */
  refresh(ids: readonly string[]): Promise<void>;
  /** Returns rows, newest first. */
  page(filter: RowFilter, limit: number): Promise<StoredRow[]>;
  count(filter: RowFilter): Promise<number>;
  /** Returns rows that changed after the change with this number, in the order of their last changes. */
  changedAfter(change: number, limit: number): Promise<StoredRow[]>;
  /** Returns the number of the last change. */
  lastChange(): Promise<number>;
  /** Calls a function when another process may have changed rows. Not each change is reported. Returns the function that ends this. */
  onForeignChange(listener: () => void): () => void;
  /** Writes the rows that are behind, newest first. */
  catchUp(signal: AbortSignal): Promise<void>;
}

/** Returns the words of a search, each as its parts that consist of letters and digits. */
export function searchWords(text: string): string[] {
  return text
    .split(/\s+/)
    .map((word) => partsOf(word).join(' '))
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS);
}

/** Returns the letters and digits of a text in lower case, without accents, as parts. */
export function partsOf(text: string): string[] {
  return (
    text
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

const MAX_WORDS = 16;
