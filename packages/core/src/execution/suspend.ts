import type { ExecutionResult } from '../history/result.ts';
import type { SuspendEntry } from '../journal/entries.ts';
import type { Attempt, Ending, Execution } from './execution.ts';
import { redactOutcome } from './outcome/redact-outcome.ts';
import { measureExecution } from './outcome/stats.ts';

/** Releases everything that a suspended execution held in memory, and returns its open questions. */
export async function suspendExecution(
  execution: Execution,
  attempt: Attempt<Ending>,
  { waitingFor, wakeMs }: SuspendEntry,
): Promise<ExecutionResult> {
  const { id, context, session, host, journal, suspension, lease } = execution;
  const pending = suspension.pending();
  suspension.close();
  host.close(true);
  // The process that continues the execution repeats changes of files that are not saved.
  await session.end().catch((error: unknown) => context.onDefect(id, error));
  await journal.flushed();
  await lease.release();
  context.suspended({ id, userId: session.userId, wakeMs });
  const wakeAt = new Date(wakeMs).toISOString();
  const settled = await redactOutcome(execution, { status: 'suspended', waitingFor, pending, wakeAt });
  const stats = await measureExecution(execution, attempt, settled);
  return { executionId: id, ...settled.outcome, logs: settled.logs, calls: settled.calls, stats } as ExecutionResult;
}
