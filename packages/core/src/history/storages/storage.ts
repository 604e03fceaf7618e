import type { JournalContent } from '../../journal/content.ts';
import type { DueTimes } from '../../journal/due-times.ts';
import type { JournalEnds } from '../../journal/ends.ts';
import type { JournalStart, ResumeEntry } from '../../journal/entries.ts';
import type { HistoryEntry } from '../../journal/history.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Decisions } from '../../journal/questions/decisions.ts';
import type { Recording } from '../../journal/recording/recording.ts';
import type { JournalLease, JournalReader } from '../../journal/storages/storage.ts';
import type { ExecutionStatus } from '../execution-summary.ts';
import type { ExecutionIndex } from '../listing/execution-index.ts';

/** The right of this process to an execution. */
export interface ExecutionLease extends JournalLease {
  /** Returns whether this process still has the execution, as far as it knows. */
  isHeld(): boolean;
  /** Gives the execution up. Another process can acquire it at once, unless it has ended. */
  release(): Promise<void>;
}

/** An execution that this process runs. */
export interface OwnExecution {
  readonly lease: ExecutionLease;
  /** Its end or its suspension sets the status in the history. An end removes the decisions, except those about a dry run. */
  readonly journal: Journal;
}

/** The exclusive right to continue an execution. */
export interface ExecutionClaim {
  readonly lease: ExecutionLease;
  /** Continues the journal after the lines of its recording. Raises `OWNERSHIP_LOST`. */
  resume(recording: Recording, process: Omit<ResumeEntry, 'owner'>, limits: JournalLimits): Promise<Journal>;
}

export interface JournalLimits {
  readonly maxBytes: number;
}

/** The ends of a journal, and whether the execution runs. */
export interface ExecutionEnds extends JournalEnds {
  /** Whether a living process runs it. False for one that has ended, is suspended or was interrupted. */
  readonly isRunning: boolean;
}

/** An execution that can be continued: it waited without a sandbox, or a crash interrupted it. */
export interface FoundExecution {
  readonly id: string;
  readonly userId: string;
}

/** An execution that waits without a sandbox. */
export interface SuspendedExecution extends FoundExecution {
  /** When it goes on without a decision, in milliseconds since the epoch. */
  readonly wakeMs: number;
}

/** The executions of a history that are listed. */
export interface HistoryFilter {
  /** `key` of the last known entry. Default: none, and the list begins with the newest one. */
  readonly before?: string | undefined;
  readonly sessionId?: string | undefined;
  /** The list has the executions with this status, and may have others that have not ended. */
  readonly status?: ExecutionStatus | undefined;
}

export interface PurgeExecutionsOptions {
  /** Executions that were last used earlier are removed. Milliseconds since the epoch, or minus infinity. */
  readonly oldestMs: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly signal: AbortSignal;
}

export interface PurgedExecutions {
  readonly journals: number;
  /** Files of executions whose process was killed. */
  readonly leftovers: number;
  /** The sessions of executions that run or wait. */
  readonly usedSessions: ReadonlySet<string>;
}

/** Measures and removes executions. */
export interface ExecutionSpace {
  /** Returns the bytes that the journals and files of a user's executions take. */
  bytes(userId: string): Promise<number>;
  /** Removes an execution that has ended, with its files. Returns the bytes that are free now. */
  remove(id: string, userId: string): Promise<number>;
  /** Removes expired executions, and files of executions that are gone. */
  purge(options: PurgeExecutionsOptions): Promise<PurgedExecutions>;
}

/**
 * The durable state of executions: their journals with the leases of their owners, decisions, requests to cancel, histories, and the
 * index of their lists. Any number of processes use one storage. Each method that needs it raises `CONFIG_INVALID` for a data folder, and
 * `STORE_UNAVAILABLE` for a database, that cannot be used.
 */
export interface ExecutionStorage extends AsyncDisposable, ExecutionSpace {
  readonly journals: JournalReader;
  readonly decisions: Decisions;
  /** When waits end, by the clock of the storage. */
  readonly dueTimes: DueTimes;
  /** Starts an execution. Its id is not the one of any other. Resolves when the start survives a crash of this process. */
  start(start: Omit<JournalStart, 'owner'>, limits: JournalLimits): Promise<OwnExecution>;
  /** Acquires an execution that is suspended or was interrupted. Returns undefined while a living process has it. */
  acquire(seen: Recording): Promise<ExecutionClaim | undefined>;
  /** Calls a function with each execution that this process has lost. Returns the function that ends this. */
  onLost(listener: (id: string) => void): () => void;
  /**
   * Gives up all executions of this process: other processes can acquire them at once, and this one adds nothing more to their journals.
   * Never rejects.
   */
  handOver(): Promise<void>;
  /** Asks the owner of an execution to cancel it. */
  requestCancel(id: string): Promise<void>;
  /** Calls a function with each request. It returns false for an execution that does not run here. Returns the function that ends this. */
  onCancelRequest(cancel: (id: string) => boolean): () => void;
  /** Yields executions of a user, newest first. */
  listHistory(userId: string, filter?: HistoryFilter): AsyncIterable<HistoryEntry>;
  /** Reads the ends of a journal, and whether the execution runs, as of one moment. Returns undefined without the journal. */
  ends(id: string, part: 'whole' | 'head'): Promise<ExecutionEnds | undefined>;
  /** Reads the calls of an execution; undefined if it does not exist. */
  content(id: string): Promise<JournalContent | undefined>;
  /** Returns executions that can be continued now, without those in a set. */
  findSuspended(skipped: ReadonlySet<string>): Promise<readonly FoundExecution[]>;
  /** Opens the index of lists. */
  openIndex(): ExecutionIndex;
  /** Whether processes of other machines use it. */
  readonly isShared: boolean;
}
