import type { Logger, Toolwright } from '@toolwright/core';
import {
  type Bus,
  dataFolder,
  journalKey,
  keyedName,
  openBus,
  openPostgres,
  parsePostgresUrl,
} from '@toolwright/storage/internal';
import type { ClusterTasks, SubmitTask } from '../agent/task.ts';
import type { WorkCounts } from '../queue/queue.ts';
import { rowQueue } from '../queue/rows.ts';
import { dispatched } from './dispatched.ts';
import { bullmqDispatcher } from './dispatchers/bullmq.ts';
import { postgresDispatcher } from './dispatchers/postgres.ts';
import { startReconciler } from './reconciler.ts';
import { submitTasks, taskWork } from './worker/task-work.ts';
import { runWorker, type Worker, type WorkerOptions } from './worker/worker.ts';

export interface ClusterOptions {
  /** The `postgres://` URL of the store. Its parameter `cluster` is the name of the cluster. */
  readonly store: string;
  /** The URL of Redis. Without it, the database wakes workers and carries messages. */
  readonly redis?: string | undefined;
  /** The data folder, whose key of journals seals requests, results and messages. All processes of a cluster have the same key. */
  readonly dataDir: string;
  readonly logger: Logger;
}

/** The state of the Redis of a cluster. `degraded`: no messages pass, and everything is found by looking. */
export type RedisState = 'none' | 'connected' | 'degraded';

/** The part of a process in a cluster. */
export interface Cluster extends AsyncDisposable {
  readonly redis: RedisState;
  /** Carries messages to the other processes. */
  readonly bus: Bus;
  /** Returns the name in Redis of a user, a credential or an address, which Redis does not see. */
  nameOf(text: string): string;
  counts(): Promise<WorkCounts>;
  /** Passes accepted tasks to the workers. */
  readonly submitTask: SubmitTask;
  /** Returns a Toolwright whose programs run on the workers of the cluster; see `dispatched`. */
  dispatched(toolwright: Toolwright): Toolwright;
  /** Starts a worker in this process. */
  work(options: ClusterWork): Worker;
}

/** The options of a worker in a cluster. */
export interface ClusterWork extends Pick<WorkerOptions, 'toolwright' | 'concurrency' | 'perUser'> {
  readonly tasks: ClusterTasks;
}

/** Joins the cluster of a database. Rejects with `STORE_UNAVAILABLE` when a package is not installed. */
export async function openCluster({ store, redis, dataDir, logger }: ClusterOptions): Promise<Cluster> {
  const { cluster } = parsePostgresUrl(store);
  const key = journalKey(dataFolder(dataDir).journalKey);
  const bus = await openBus({ redis, store, dataDir, logger });
  const nameOf = (text: string) => keyedName(key, text);
  const dispatcher =
    redis === undefined
      ? postgresDispatcher({ url: store, logger })
      : await bullmqDispatcher({ url: redis, cluster, nameOf, logger });
  const queue = rowQueue({ database: openPostgres({ url: store }), key });
  const reconciling = startReconciler(queue, dispatcher);
  const parts = { queue, dispatcher, bus, logger };
  return {
    get redis() {
      if (redis === undefined) return 'none';
      return dispatcher.isConnected ? 'connected' : 'degraded';
    },
    bus,
    nameOf,
    counts: queue.counts,
    submitTask: submitTasks(queue, dispatcher),
    dispatched: (toolwright) => dispatched(toolwright, parts),
    work: ({ tasks, ...options }) => runWorker({ ...options, ...parts, tasks: taskWork(tasks, logger) }),
    async [Symbol.asyncDispose]() {
      reconciling[Symbol.dispose]();
      await dispatcher[Symbol.asyncDispose]();
      await bus[Symbol.asyncDispose]();
      await queue[Symbol.asyncDispose]();
    },
  };
}
