import type { PreparedSource } from '@toolwright/sandbox';
import { checkProgram, type PreRunCheck } from './check/check.ts';
import type { Attempt, Ending, Execution } from './execution.ts';
import { runProgram } from './run.ts';

/** Checks and runs the program once it is prepared, as far as it goes, and measures each step. Never rejects. */
export async function attemptProgram(
  execution: Execution,
  preparing: Promise<PreparedSource>,
): Promise<Attempt<Ending>> {
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
