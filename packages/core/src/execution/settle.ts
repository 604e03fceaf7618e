import { setTimeout as sleep } from 'node:timers/promises';
import type { EndedOutcome } from '../history/result.ts';
import { headersFor } from '../tool-calls/dispatch.ts';
import type { Attempt, Execution, Settled } from './execution.ts';
import { describeError } from './outcome/failure.ts';
import { outcomeOf } from './outcome/outcome.ts';
import { computedExpressions, placeholderWarnings } from './outcome/placeholder-warnings.ts';
import { redactOutcome } from './outcome/redact-outcome.ts';

/** Milliseconds for servers to receive it. They need not answer. */
const CANCEL_MS = 10_000;

/** Settles an ended execution: closes the bridge, saves changed skills, and redacts the outcome. Never rejects. */
export async function settleExecution(execution: Execution, attempt: Attempt): Promise<Settled> {
  const { context, session, settings, host, skills } = execution;
  execution.suspension.close();
  host.close();
  await cancelPausedCalls(execution);
  const rewritten = computedExpressions(execution);
  if (rewritten !== undefined) host.inform(rewritten);
  for (const warning of await placeholderWarnings(execution, attempt)) host.warn(warning);
  await execution.origins?.noteFiles();
  const reached = await outcomeOf(execution, attempt).catch(
    (error: unknown): EndedOutcome => ({ status: 'failed', error: describeError(error, context.onDefect) }),
  );
  await copyShownFiles(execution);
  const outcome = await withKeptValues(execution, await withSavedFiles(execution, reached));
  const reasonNotToSave =
    outcome.status === 'completed' ? settings.dryRun && 'this is a dry run' : 'the program did not complete';
  for (const warning of await skills.end(reasonNotToSave || undefined)) host.warn(warning);
  const settled = await redactOutcome(execution, outcome);
  // Without a session and in a dry run, the files end with the execution, unless they hold its result.
  const holdsResult = 'file' in settled.outcome || settled.media.length > 0;
  if ((settings.sessionId === undefined || settings.dryRun) && !holdsResult) {
    await session.workspace.destroy().catch(() => undefined);
    await session.discard();
  }
  return settled;
}

/** Copies the files that the program shows into the output folder. The result is complete without them. */
async function copyShownFiles({ context, session, settings, host, media, files }: Execution): Promise<void> {
  const { outputFolder: folder } = context;
  if (folder === undefined || settings.dryRun) return;
  const { copyToOutputFolder } = await import('./media/output-folder.ts');
  const shown = { files: await media.files(), folder, userId: session.userId };
  for (const warning of await copyToOutputFolder({ ...shown, read: files.read })) host.warn(warning);
}

/** Stores the values of a completed program for the next one. A failed program changes nothing. */
async function withKeptValues({ kept }: Execution, outcome: EndedOutcome): Promise<EndedOutcome> {
  const report = outcome.status === 'completed' ? await kept.end() : undefined;
  if (report === undefined || outcome.status !== 'completed') return outcome;
  // A program that keeps values need not return one.
  const { note, ...rest } = outcome;
  const isNeeded = outcome.value !== undefined || report.values.length === 0;
  return { ...rest, note: isNeeded ? note : undefined, kept: report };
}

/** Waits until other processes see the changes of files. An execution whose changes are lost has failed. */
async function withSavedFiles(
  { context, session, settings, host, media }: Execution,
  outcome: EndedOutcome,
): Promise<EndedOutcome> {
  const isOwn = settings.sessionId === undefined || settings.dryRun;
  if (isOwn && !('file' in outcome) && (await media.files()).length === 0) return outcome;
  try {
    await session.end();
    return outcome;
  } catch (error) {
    const described = describeError(error, context.onDefect);
    if (outcome.status === 'completed') return { status: 'failed', error: described };
    host.warn(`The changes of files were not saved: ${described.message}`);
    return outcome;
  }
}

/**
 * Cancels the tasks of servers for which an execution waited before it was continued, and whose answers its program did not receive. A task
 * that ends with its own call is cancelled there already.
 */
async function cancelPausedCalls(execution: Execution): Promise<void> {
  const { earlier, host, catalog, context, settings, session } = execution;
  if (!earlier) return;
  const ended = new Set(
    host
      .calls()
      .filter(({ status }) => status !== 'unanswered')
      .map(({ number }) => number),
  );
  const left = [...earlier.recording.calls.values()].filter(
    ({ number, answer, state }) => answer === undefined && state !== undefined && !ended.has(number),
  );
  const cancelled = left.map(async ({ tool: id, state }) => {
    const { tool, connector } = await catalog.resolve(id, context.language.name);
    await connector.cancelPaused?.(tool.definition.name, state, {
      userId: session.userId,
      clientHeaders: headersFor(connector.clientHeaders, settings.clientHeaders),
    });
  });
  await Promise.race([Promise.allSettled(cancelled), sleep(CANCEL_MS, undefined, { ref: false })]);
}
