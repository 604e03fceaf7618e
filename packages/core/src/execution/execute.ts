import { randomUUID } from 'node:crypto';
import type { ExecutionResult } from '../history/result.ts';
import { attemptProgram } from './attempt.ts';
import type { Earlier, Execution, ExecutionContext, ExecutionSettings } from './execution.ts';
import { openExecution } from './open.ts';
import { instrumented } from './outcome/instrumentation.ts';
import { recordExecution } from './outcome/record.ts';
import { prepareProgram } from './prepare.ts';
import { settleExecution } from './settle.ts';
import { suspendExecution } from './suspend.ts';

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
    const preparing = prepareProgram({ source, context: own, settings }, earlier);
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
