import { fairQueue } from '../sandboxes/pool/fairness.ts';
import { busyError } from './failures.ts';

const MAX_WAITING_PER_TENANT = 1_000;
const MAX_WAITING = 4_000;

/** A request that waits for a worker. */
export interface WaitingJob {
  readonly tenant: string;
  readonly reject: (error: unknown) => void;
  /** Ends the wait for a worker. */
  readonly late: NodeJS.Timeout;
}

/** The requests that wait for a worker. Tenants take turns. */
export interface WaitingJobs<Job extends WaitingJob> {
  readonly length: number;
  /** Raises `LANGUAGE_SERVICE_BUSY` if too many wait. */
  admit(tenant: string): void;
  add(job: Job): void;
  /** Removes and returns the next request of a tenant that may run. */
  take(mayRun: (tenant: string) => boolean): Job | undefined;
  /** Rejects a request that waits. Returns false if it does not wait. */
  refuse(job: Job, error: unknown): boolean;
}

/** Creates an empty list of requests. */
export function createWaitingJobs<Job extends WaitingJob>(): WaitingJobs<Job> {
  const queue = fairQueue<Job>();
  const waitingOf = new Map<string, number>();
  const count = (tenant: string, change: 1 | -1) => {
    const waiting = (waitingOf.get(tenant) ?? 0) + change;
    if (waiting > 0) waitingOf.set(tenant, waiting);
    else waitingOf.delete(tenant);
  };
  const left = (job: Job): void => {
    clearTimeout(job.late);
    count(job.tenant, -1);
  };
  return {
    get length() {
      return queue.length;
    },
    admit(tenant) {
      const own = waitingOf.get(tenant) ?? 0;
      if (own >= MAX_WAITING_PER_TENANT) throw busyError(`${own} texts of one user wait to be read.`);
      if (queue.length >= MAX_WAITING) throw busyError(`${queue.length} texts wait to be read.`);
    },
    add(job) {
      count(job.tenant, 1);
      queue.push(job.tenant, job);
    },
    take(mayRun) {
      const job = queue.shift(mayRun);
      if (job) left(job);
      return job;
    },
    refuse(job, error) {
      if (!queue.remove(job.tenant, job)) return false;
      left(job);
      job.reject(error);
      return true;
    },
  };
}
