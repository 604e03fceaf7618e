import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClaimedWork, ClaimOptions, Submission, WorkQueue } from '../../../packages/server/src/queue/queue.ts';

/** Milliseconds of the leases of a queue that the suite checks. */
export const SUITE_LEASE_MS = 1_500;

/** One rule that every queue must keep. */
export interface QueueCase {
  readonly name: string;
  /** Rejects with an `AssertionError` when the queue breaks the rule. */
  run(run: QueueRun): Promise<void>;
}

/** The arguments of a case. No other work can be claimed. */
export interface QueueRun {
  readonly queue: WorkQueue;
  /** The queue as another process opens it, or the same one. */
  readonly other: WorkQueue;
}

/** Submits work of `ada` with a new id, which it returns. */
export async function submitted(queue: WorkQueue, work: Partial<Submission> = {}): Promise<string> {
  const id = work.id ?? randomUUID();
  await queue.submit({ kind: 'execution', user: 'ada', request: { id }, ...work, id });
  return id;
}

/** Claims one work, or `most`. */
export function claim(queue: WorkQueue, options: Partial<ClaimOptions> = {}): Promise<readonly ClaimedWork[]> {
  return queue.claim({ worker: randomUUID(), kinds: ['execution'], most: 1, perUser: 1_000, ...options });
}

/** Claims one work, which must exist. */
export async function claimOne(queue: WorkQueue, options: Partial<ClaimOptions> = {}): Promise<ClaimedWork> {
  const [work] = await claim(queue, options);
  if (work) return work;
  throw new Error('expected work to claim');
}

/** Waits until a lease has expired. */
export async function expired(): Promise<void> {
  await sleep(SUITE_LEASE_MS + 50);
}
