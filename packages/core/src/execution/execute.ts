import { randomUUID } from 'node:crypto';
import type { PreparedSource } from '@toolwright/sandbox';
import type { ExecutionResult } from '../history/result.ts';
import type { SuspendEntry } from '../journal/entries.ts';
import { checkProgram, type PreRunCheck } from './check/check.ts';
import type { Attempt, Earlier, Ending, Execution, ExecutionContext, ExecutionSettings } from './execution.ts';
import { openExecution } from './open.ts';
import { instrumented } from './outcome/instrumentation.ts';
import { recordExecution } from './outcome/record.ts';
import { redactOutcome } from './outcome/redact-outcome.ts';
import { measureExecution } from './outcome/stats.ts';
import { prepareProgram } from './prepare.ts';
import { runProgram } from './run.ts';
import { settleExecution } from './settle.ts';

/**
 * Executes a program: open ▸ prepare ▸ check ▸ run ▸ settle ▸ record. Continues one with `earlier`. Resolves for every error of the
 * program and its tools.
 * Raises `UNKNOWN_SESSION`, `CONFIG_INVALID` when the data folder cannot be written to, and `OWNERSHIP_LOST` when this process was
 * paused for longer than its lease.
 */
export async function execute(
  source: string,
  context: ExecutionContext,
  settings: ExecutionSettings,
  earlier?: Earlier,
): Promise<ExecutionResult> {
  const id = settings.executionId ?? randomUUID();
  const own = { ...context, onDefect: (defect: string, error: unknown) => context.onDefect(defect, error, id) };
  return instrumented({ id, language: context.language.name, sandbox: context.sandbox.name }, context, async () => {
    // A worker prepares the program while this process opens its session and journal.
    const preparing = prepareProgram(source, own, settings, earlier);
    preparing.catch(() => undefined);
    own.catalog.expect(source);
    const execution = await openExecution(id, source, own, settings, earlier);
    const attempt = await attemptProgram(execution, preparing);
    await execution.lease.confirm().catch((error: unknown) => abandon(execution, error));
    const { ending } = attempt;
    if ('suspended' in ending) return suspendExecution(execution, attempt, ending.suspended);
    const ended = { ...attempt, ending };
    return recordExecution(execution, ended, await settleExecution(execution, ended));
  });
}

/** Leaves an execution to the process that takes it over. Raises the error. */
async function abandon({ host, suspension, journal, session }: Execution, error: unknown): Promise<never> {
  suspension.close();
  host.close(true);
  journal.abandon();
  await session.discard();
  throw error;
}

/** Checks and runs the program once it is prepared, as far as it goes, and measures each step. Never rejects. */
async function attemptProgram(execution: Execution, preparing: Promise<PreparedSource>): Promise<Attempt<Ending>> {
  let prepared: PreparedSource | undefined;
  let check: PreRunCheck = { outcome: 'skipped: the program cannot be prepared' };
  let preparedAt = execution.openedAt;
  let checkedAt = execution.openedAt;
  const steps = async (): Promise<Ending> => {
    prepared = await preparing;
    execution.names.add(prepared.names);
    preparedAt = performance.now();
    checkedAt = preparedAt;
    check = await checkProgram(execution, prepared);
    checkedAt = performance.now();
    if (check.error) return { problem: check.error };
    execution.effects.begin(execution, prepared);
    return { outcome: await runProgram(execution, prepared) };
  };
  const ending = await steps().catch((error: unknown) => endingOf(error, execution));
  const stats = {
    check: check.outcome,
    prepareMs: preparedAt - execution.openedAt,
    checkMs: checkedAt - preparedAt,
    runMs: performance.now() - checkedAt,
  };
  return { ending, prepared, stats };
}

function endingOf(error: unknown, { settings, tooManyCalls, strayed, suspension }: Execution): Ending {
  const suspended = suspension.entry();
  if (suspended) return { suspended };
  if (strayed.aborted) return { error: strayed.reason };
  if (tooManyCalls.aborted) return { stopped: 'toolCalls' };
  return settings.signal?.aborted ? { stopped: 'cancelled' } : { error };
}

/** Releases everything that a suspended execution held in memory, and returns its open questions. */
async function suspendExecution(
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
