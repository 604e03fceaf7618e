import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * When a use needs the right to write:
 * - `first`: from its first operation on, so that programs of several processes run one after the other.
 * - `change`: from its first change on. It reads the newest version before that.
 * - `end`: for the end only. Nobody else writes the folder meanwhile.
 */
export type RightTime = 'first' | 'change' | 'end';

export interface FolderUseOptions {
  readonly right: RightTime;
  /** The execution that changes the folder. Default: none, and its requests are not noted. */
  readonly execution?: string | undefined;
  /** Milliseconds for which a version that was read without the right counts as the newest one. Default: 1,000. */
  readonly maxAgeMs?: number;
  /** Whether the folder has no version yet, so that the first operation asks nobody. Default: false. */
  readonly isNew?: boolean;
}

/**
 * The use of a versioned folder by one execution, or by one operation of a user. All methods wait in a queue while another process
 * writes. They raise `WORKSPACE_LOST` when this process lost the right before its changes were committed, `STORE_UNAVAILABLE`, and
 * `FILE_ERROR` for the folder of a removed session.
 */
export interface FolderUse {
  /** Runs an operation that reads the copy on this disk. */
  read<T>(work: () => Promise<T>): Promise<T>;
  /** Runs an operation that changes the copy. */
  change<T>(work: () => Promise<T>): Promise<T>;
  /** Ends the use. Resolves when its changes are committed: all processes see them then. */
  end(): Promise<void>;
  /** Ends the use without a commit, unless another one in this process still uses the folder. Never rejects. */
  discard(): Promise<void>;
  /** Returns whether the newest version has the change of a request of this execution. */
  isApplied(request: number): Promise<boolean>;
}

/** The request of the program that makes the current change. */
const currentRequest = new AsyncLocalStorage<number>();

/** Runs the work of one request of a program. Its changes of versioned folders are noted under this number. */
export function inRequest<T>(request: number, work: () => Promise<T>): Promise<T> {
  return currentRequest.run(request, work);
}

/** Returns the request that makes the current change; undefined for changes of the host. */
export function requestOfChange(): number | undefined {
  return currentRequest.getStore();
}
