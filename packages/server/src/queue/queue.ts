import type { RowLeasesOptions } from '@toolwright/storage/internal';

/** The kind of a work: an execution of a program, or a task of an agent. */
export type WorkKind = 'execution' | 'task';

/** `waiting`: until its time, or a wake-up. */
export type WorkState = 'ready' | 'running' | 'waiting' | 'ended';

/** Work to submit. */
export interface Submission {
  /** A UUID in lower case. */
  readonly id: string;
  readonly kind: WorkKind;
  /** The user whose share of the cluster it uses. */
  readonly user: string;
  /** At most one work of a kind and a session runs at once. Default: none. */
  readonly session?: string | undefined;
  /** Lower numbers of a user run first. Default: 0, for work that a person waits for. */
  readonly priority?: number | undefined;
  /** JSON data for the worker. */
  readonly request: unknown;
  /** Milliseconds until it is ready. Default: 0. */
  readonly delayMs?: number | undefined;
}

/** The right of a worker to some work. It ends with the lease, after which another worker has a higher fence. */
export interface HeldWork {
  readonly id: string;
  readonly worker: string;
  readonly fence: number;
}

/** Work that a worker has claimed. */
export interface ClaimedWork extends HeldWork {
  readonly kind: WorkKind;
  /** `undefined` for a row that was changed. */
  readonly request: unknown;
  /** Claims since the last orderly end of a run: 2 and more after a lost worker. */
  readonly attempts: number;
  /** Whether its end was requested. */
  readonly isCancelled: boolean;
  /** Milliseconds that it was ready. */
  readonly waitedMs: number;
  /** Milliseconds since the last sign of life of the worker that lost it. */
  readonly lostMs?: number;
}

export interface ClaimOptions {
  /** Id of the worker: a UUID. */
  readonly worker: string;
  readonly kinds: readonly WorkKind[];
  /** The most works to claim. */
  readonly most: number;
  /** The most works of one user that run at once, over the whole cluster. */
  readonly perUser: number;
}

/** How far some work is. */
export interface WorkOutcome {
  readonly id: string;
  readonly state: WorkState;
  /** Whether its end was requested. */
  readonly isCancelled: boolean;
  /** Questions to its caller. */
  readonly asked: number;
  /** JSON data: of work that has ended, or of the last time that it began to wait. */
  readonly result?: unknown;
}

/** A submission that is stored, with its outcome. Times are ISO 8601, UTC. */
export interface StoredWork extends WorkOutcome {
  readonly request: unknown;
  readonly submittedAt: string;
  readonly endedAt?: string;
}

/** Numbers of the whole cluster. */
export interface WorkCounts {
  readonly ready: number;
  readonly running: number;
  readonly waiting: number;
  /** Milliseconds; 0 without ready work. */
  readonly oldestReadyMs: number;
  /** Milliseconds since the oldest renewal of a lease; 0 without running work. */
  readonly leaseAgeMs: number;
}

/** One look of the leader for work that needs a worker. */
export interface Reconciled {
  /** Works whose lease had expired, or whose time had come. */
  readonly revived: number;
  /** Ids of ready work, the first ones first. */
  readonly ready: readonly string[];
  /** Executions that can go on, and that have no work for it: those of an earlier data folder, for instance. */
  readonly unqueued: readonly UnqueuedExecution[];
}

/** A suspended or interrupted execution without work. */
export type UnqueuedExecution = Pick<Submission, 'id' | 'user' | 'session'>;

/** The priority of work that nobody waits for. */
export const BACKGROUND_PRIORITY = 10;
/** Milliseconds without a renewal after which another worker may claim running work. */
export const WORK_LEASE_MS = 5_000;
/** Milliseconds between two renewals of running work. */
export const WORK_RENEW_MS = 1_000;

/**
 * The durable queue of a cluster. Users share its workers fairly: users with the fewest running works are first, and none exceeds a limit
 * over the whole cluster. Each change by a worker has its fence, and has no effect after another worker has claimed the work. All methods
 * reject with `STORE_UNAVAILABLE` while the storage does not answer.
 */
export interface WorkQueue extends AsyncDisposable {
  /** Shown in errors: `memory`, `postgres`. */
  readonly name: string;
  /** Returns the milliseconds until a time of its clock. */
  leftMs(timeMs: number): number;
  /** Stores work. Returns false if its id exists: nothing changes then. */
  submit(work: Submission): Promise<boolean>;
  /** Claims ready work. Without any, it makes work ready whose lease has expired, or whose time has come. */
  claim(options: ClaimOptions): Promise<readonly ClaimedWork[]>;
  /**
   * Renews leases of a worker in one step. Returns the works that it still has. Others of the worker expire: a storage that crashed may have
   * forgotten their ends.
   */
  renew(worker: string, ids: readonly string[]): Promise<readonly Pick<ClaimedWork, 'id' | 'fence' | 'isCancelled'>[]>;
  /** Renews leases of a worker in another thread, each {@link WORK_RENEW_MS}. Absent where no thread is needed. */
  readonly keep?: RowLeasesOptions['keep'];
  /** Ends work with a result. Returns false, and stores nothing, if the worker has lost it. */
  finish(work: HeldWork, result: unknown): Promise<boolean>;
  /**
   * Makes work wait, with a result for its caller. It is ready after `delayMs`, or at once after a wake-up meanwhile. Returns its state, or
   * `undefined` if the worker has lost it.
   */
  suspend(
    work: HeldWork,
    until: { readonly delayMs: number; readonly result: unknown },
  ): Promise<WorkState | undefined>;
  /** Lets another worker run the work after `delayMs` (default 0). With `isLost`, this run counts as a lost one. */
  release(work: HeldWork, options?: { readonly delayMs?: number; readonly isLost?: boolean }): Promise<boolean>;
  /** Counts a question to the caller of the work. */
  ask(work: HeldWork): Promise<void>;
  /** Makes waiting work ready. Running work does not wait next time. Returns the state before. */
  wake(id: string): Promise<WorkState | undefined>;
  /**
   * Cancels work of a user. Returns `cancelled` for work that no worker had begun: it has ended. Otherwise returns the state before, and a
   * worker cancels the work. `undefined`: the user has no such work.
   */
  cancel(id: string, user: string): Promise<WorkState | 'cancelled' | undefined>;
  /**
   * Makes waiting or ended work of a user ready, with another request and priority (default 0). Returns the state before: nothing changed
   * if it is `ready` or `running`. `undefined`: the user has no such work.
   */
  reopen(id: string, user: string, request: unknown, priority?: number): Promise<WorkState | undefined>;
  outcomes(ids: readonly string[]): Promise<readonly WorkOutcome[]>;
  /** Returns work of a user. */
  find(id: string, user: string): Promise<StoredWork | undefined>;
  /** Deletes ended work of a user. Ended work is deleted after a day in any case. */
  remove(id: string, user: string): Promise<void>;
  /** Looks for work that needs a worker, if this process has the lead: one process of the cluster has it. */
  reconcile(process: string, most: number): Promise<Reconciled | undefined>;
  counts(): Promise<WorkCounts>;
}
