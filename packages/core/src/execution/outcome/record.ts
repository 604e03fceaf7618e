import type { ExecutionResult } from '../../history/result.ts';
import { sessionEntry } from '../../sessions/log.ts';
import type { Attempt, Execution, Settled } from '../execution.ts';
import { outcomeText } from '../replay/outcome-text.ts';
import { withoutHostPaths } from './host-paths.ts';
import { measureExecution } from './stats.ts';

/** Ends the journal, adds the execution to the log of its session, and returns the result. */
export async function recordExecution(
  execution: Execution,
  attempt: Attempt,
  settled: Settled,
): Promise<ExecutionResult> {
  const { id, context, session, settings, journal } = execution;
  const { outcome, logs, calls, code, files, media } = settled;
  const stats = await measureExecution(execution, attempt, settled);
  const planned = settings.dryRun ? { dryRun: { calls: settled.planned } } : {};
  const shown = media.length > 0 ? { media } : {};
  const result = { executionId: id, ...outcome, logs, calls, ...shown, ...planned, stats } as ExecutionResult;
  journal.close(outcome.status, {
    limit: 'limit' in outcome ? outcome.limit : undefined,
    result: 'file' in result || media.length > 0 ? withoutHostPaths(result) : result,
    outcome: await guestOutcome(attempt),
  });
  await journal.flushed();
  await execution.lease.release();
  if (settings.sessionId !== undefined) {
    const { name: language } = context.language;
    const entry = { executionId: id, language, source: code, outcome, calls, files, ms: stats.totalMs };
    // The program has run: a failure to write the log does not change its outcome.
    await session.record(sessionEntry(entry)).catch((error: unknown) => context.onDefect(id, error));
  }
  return result;
}

/** Returns the text of the outcome of a guest that ended by itself. */
async function guestOutcome({ ending }: Attempt): Promise<string | undefined> {
  if (!('outcome' in ending) || ending.outcome.status === 'stopped') return undefined;
  return outcomeText(ending.outcome);
}
