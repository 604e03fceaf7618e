import { ToolwrightError } from '../../errors.ts';
import type { HistoryStatus } from '../history.ts';

/** An execution that does not exist yet. */
export interface NewExecution {
  readonly id: string;
  /** Escaped: see `escapedText`. */
  readonly userId: string;
  readonly session?: string | undefined;
  readonly isDryRun: boolean;
}

/** The state of an execution that a line of its journal changes, besides the journal. */
export interface Settlement {
  /** The question whose decision the line has. */
  readonly applied?: readonly [call: number, question: number];
  /** The new status: null for an execution that goes on. */
  readonly status?: HistoryStatus | null;
  /** When a suspended execution goes on without a decision, in milliseconds since the epoch. */
  readonly wakeMs?: number;
}

/** The right to write a journal and to have the effects that it records. */
export interface JournalLease {
  /** Raises `OWNERSHIP_LOST` when this process does not have the execution any more. Call it before each effect. */
  check(): void;
  /** Returns whether `confirm` renews the lease. */
  isOld(): boolean;
  /**
   * Resolves when no other process can have the execution. Raises `OWNERSHIP_LOST`, and `STORE_UNAVAILABLE` when the database does not
   * answer.
   */
  confirm(): Promise<void>;
}

/** Receives the events of the executions of this process. */
export interface LeaseEvents {
  /** Another process may have the execution. */
  onLost(id: string): void;
  /** Anyone has asked to cancel the execution. It is repeated until the execution ends. */
  onCancel(id: string): void;
}

/** The place that the lines of one journal are written to. */
export interface JournalSink {
  /**
   * Adds whole lines, after all before. The lines are safe after the next `flushed` at the latest. Lines that cannot be added
   * are not added later either. The settlement is that of the last line: it takes effect with the line, or after it.
   */
  append(lines: Buffer, settlement?: Settlement): void;
  /** Resolves when the lines before survive a crash of this process, with their settlements. Raises `OWNERSHIP_LOST`. */
  flushed(): Promise<void> | undefined;
  /** Ends the writing. Lines that are not safe yet become so, if this process still owns the execution. */
  close(): void;
}

/** How much of the ends of a journal is read. */
export interface EndSizes {
  /** Bytes of the first line. More of it may be returned. */
  readonly firstBytes: number;
  /** Bytes of the last lines. */
  readonly lastBytes: number;
}

/** The ends of a journal. */
export interface JournalEndLines {
  /** The start of the first line; the whole line if it is not longer than the wanted bytes. */
  readonly first: string;
  /** The last whole lines, oldest first: up to {@link LAST_LINES}, as far as all of them fit into the wanted bytes. */
  readonly last: readonly string[];
  /** When the last line was added. Milliseconds since the epoch. */
  readonly changedMs: number;
  /** Whether an owner has the execution. Absent where the leases are not next to the lines. */
  readonly isOwned?: boolean;
}

/** Reads the journals of all owners. A line without its end, which a crash has left, is none. */
export interface JournalReader {
  /** Returns the whole lines of a journal in pages, from the one after the first `after` lines; none if it does not exist. */
  read(id: string, after?: number): AsyncIterable<readonly string[]>;
  /** Reads the ends of a journal, however long it is. Returns undefined if it does not exist. */
  ends(id: string, sizes: EndSizes): Promise<JournalEndLines | undefined>;
}

/** Lines in one page of a journal. */
export const PAGE_LINES = 500;
/** Lines that the end of a journal has at most. */
export const LAST_LINES = 2;

/** Returns the error of an execution whose id another one has. */
export function isTaken(id: string): ToolwrightError {
  return new ToolwrightError('CONFIG_INVALID', `There is an execution ${id} already. Pass an executionId that is new.`);
}
