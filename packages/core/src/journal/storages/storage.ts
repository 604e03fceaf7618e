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

/**
 * The journals of executions, and the leases of the processes that own them. One object is one owner. A lease that is not
 * renewed expires; then another owner can acquire the execution, and the former one adds nothing more to the journal.
 */
export interface JournalStorage extends AsyncDisposable {
  /** Shown in errors: `files`, `postgres`. */
  readonly name: string;
  /** Acquires an execution, new or not. Returns undefined while an owner has it. The journal continues after its last whole line. */
  acquire(id: string): Promise<OwnJournal | undefined>;
  /** Renews all leases of this owner. */
  renew(): Promise<void>;
  /** Returns the whole lines of a journal in pages, from the one after the first `after` lines; none if it does not exist. */
  read(id: string, after?: number): AsyncIterable<readonly string[]>;
  /** Returns the ids of all journals in pages, in no order. */
  list(): AsyncIterable<readonly string[]>;
  /** Removes a journal and its lease. */
  remove(id: string): Promise<void>;
}

/** Lines in one page of a journal. */
export const PAGE_LINES = 500;
/** Ids in one page of a list. */
export const PAGE_IDS = 1_000;
