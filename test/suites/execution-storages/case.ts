import type { ExecutionStorage, OwnExecution } from '../../../packages/core/src/history/storages/storage.ts';

/** Two processes with the same storage. */
export interface ExecutionStorageRun {
  readonly one: ExecutionStorage;
  readonly other: ExecutionStorage;
  /** The key of the journals. */
  readonly key: Buffer;
  /** Ends the process of `one`, which has this execution, as `kill -9` does, and lets its leases expire. */
  readonly kill: (own: OwnExecution) => Promise<void>;
  /** A user of this run only. */
  readonly user: string;
}

/** One rule that every storage of executions must keep. */
export interface ExecutionStorageCase {
  readonly name: string;
  /** Rejects with an `AssertionError` when the storage breaks the rule. */
  run(run: ExecutionStorageRun): Promise<void>;
}
