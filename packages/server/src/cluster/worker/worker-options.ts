import type { Logger, Toolwright } from '@toolwright/core';
import type { Bus } from '@toolwright/storage/internal';
import type { ClaimedWork, WorkQueue } from '../../queue/queue.ts';
import type { Dispatcher } from '../dispatchers/dispatcher.ts';
import type { WorkEnd } from './run-work.ts';

/** Runs work of the kind `task`. */
export interface TaskWork {
  /** Runs or continues a task until it ends, or waits. Never rejects. */
  run(work: ClaimedWork, context: { readonly signal: AbortSignal }): Promise<WorkEnd>;
}

export interface WorkerOptions {
  /** Runs the programs. It stays open. */
  readonly toolwright: Toolwright;
  /** Runs tasks. Without it, this worker claims none. */
  readonly tasks?: TaskWork | undefined;
  readonly queue: WorkQueue;
  readonly dispatcher: Dispatcher;
  readonly bus: Bus;
  /** Works that run here at once. Default: 32. */
  readonly concurrency?: number | undefined;
  /** Works of one user that run at once, over the whole cluster. Default: no limit. */
  readonly perUser?: number | undefined;
  readonly logger: Pick<Logger, 'error' | 'warn'>;
}
