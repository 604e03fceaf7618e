import { ToolwrightError } from '../../errors.ts';

/** The place that the lines of one journal are written to. */
export interface JournalSink {
  /**
   * Adds whole lines, after all before. The lines are safe after the next `flushed` at the latest. Lines that cannot be added
   * are not added later either.
   */
  append(lines: Buffer): void;
  /** Resolves when the lines before survive a crash of this process. Raises `OWNERSHIP_LOST`. */
  flushed(): Promise<void>;
  /** Ends the writing. Lines that are not safe yet become so, if this process still owns the execution. */
  close(): void;
}

/** The exclusive right of this process to an execution, with the journal to write to. */
export interface OwnJournal extends JournalSink {
  /** Gives the execution up, after the lines before are safe. Another process can acquire it at once. */
  release(): Promise<void>;
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

/**
 * The journals of executions, and the leases of the processes that own them. One object is one owner. A lease that is not
 * renewed expires; then another owner can acquire the execution, and the former one adds nothing more to the journal.
 */
export interface JournalStorage extends JournalReader, AsyncDisposable {
  /** Shown in errors: `files`, `postgres`. */
  readonly name: string;
  /** Acquires an execution, new or not. Returns undefined while an owner has it. The journal continues after its last whole line. */
  acquire(id: string): Promise<OwnJournal | undefined>;
  /** Renews all leases of this owner. */
  renew(): Promise<void>;
  /** Returns the ids of all journals in pages, in no order. */
  list(): AsyncIterable<readonly string[]>;
  /** Removes a journal and its lease. */
  remove(id: string): Promise<void>;
}

/** Lines in one page of a journal. */
export const PAGE_LINES = 500;
/** Lines that the end of a journal has at most. */
export const LAST_LINES = 2;
/** Ids in one page of a list. */
export const PAGE_IDS = 1_000;

/** Returns the error of an execution whose id another one has. */
export function isTaken(id: string): ToolwrightError {
  return new ToolwrightError('CONFIG_INVALID', `There is an execution ${id} already. Pass an executionId that is new.`);
}
