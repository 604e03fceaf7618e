import { messageOf } from '@toolwright/sandbox/internal';
import { type QueueCase, type QueueRun, SUITE_LEASE_MS } from './queues/case.ts';
import { claimCases } from './queues/claims.ts';
import { stateCases } from './queues/states.ts';

export type { QueueCase, QueueRun };
export { SUITE_LEASE_MS };

/** The rules that every queue keeps. */
export const queueCases: readonly QueueCase[] = [...claimCases, ...stateCases];

/** Runs one case with a new queue, whose leases last {@link SUITE_LEASE_MS}. Rejects with an error that names the broken rule. */
export async function runQueueCase(open: () => Promise<QueueRun>, testCase: QueueCase): Promise<void> {
  const run = await open();
  try {
    await testCase.run(run);
  } catch (error) {
    const message = `A queue breaks the rule "${testCase.name}": ${messageOf(error)}`;
    throw new Error(message, { cause: error });
  } finally {
    await run.queue[Symbol.asyncDispose]();
    await run.other[Symbol.asyncDispose]();
  }
}
