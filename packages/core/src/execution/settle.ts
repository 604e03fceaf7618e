import { cancelPausedCalls } from './cancel-paused.ts';
import type { Attempt, Execution, Settled } from './execution.ts';
import { describeError } from './failure.ts';
import { outcomeOf } from './outcome.ts';
import { placeholderWarnings } from './placeholder-warnings.ts';
import { redactOutcome } from './redact-outcome.ts';
import type { EndedOutcome } from './result.ts';

/** Settles an ended execution: closes the bridge, saves changed skills, and redacts the outcome. Never rejects. */
export async function settleExecution(execution: Execution, attempt: Attempt): Promise<Settled> {
  const { context, session, settings, host, skills } = execution;
  execution.suspension.close();
  host.close();
  await cancelPausedCalls(execution);
  for (const warning of await placeholderWarnings(execution, attempt)) host.warn(warning);
  const outcome = await outcomeOf(execution, attempt).catch(
    (error: unknown): EndedOutcome => ({ status: 'failed', error: describeError(error, context.onDefect) }),
  );
  const reasonNotToSave =
    outcome.status === 'completed' ? settings.dryRun && 'this is a dry run' : 'the program did not complete';
  for (const warning of await skills.end(reasonNotToSave || undefined)) host.warn(warning);
  const settled = await redactOutcome(execution, outcome);
  // Without a session and in a dry run, the files end with the execution, unless they hold its result.
  const holdsResult = 'file' in settled.outcome || settled.media.length > 0;
  if ((settings.sessionId === undefined || settings.dryRun) && !holdsResult) {
    await session.workspace.destroy().catch(() => undefined);
  }
  return settled;
}
