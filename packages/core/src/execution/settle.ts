import { setTimeout as sleep } from 'node:timers/promises';
import type { EndedOutcome } from '../history/result.ts';
import { headersFor } from '../tool-calls/dispatch.ts';
import type { Attempt, Earlier, Execution, Settled } from './execution.ts';
import { describeError } from './outcome/failure.ts';
import { outcomeOf } from './outcome/outcome.ts';
import { computedExpressions, placeholderWarnings } from './outcome/placeholder-warnings.ts';
import { redactOutcome } from './outcome/redact-outcome.ts';

/** Milliseconds for servers to receive it. They need not answer. */
const CANCEL_MS = 10_000;

/** Settles an ended execution: closes the bridge, saves changed skills, and redacts the outcome. Never rejects. */
export async function settleExecution(execution: Execution, attempt: Attempt): Promise<Settled> {
  const { context, session, settings, host, guestFiles, earlier, values, trace } = execution;
  execution.suspension.close();
  host.close();
  if (earlier) await cancelPausedCalls(execution, earlier);
  if (values.hasPlaceholders() || trace.hasComputed()) {
    const rewritten = computedExpressions(execution);
    if (rewritten !== undefined) host.inform(rewritten);
    for (const warning of await placeholderWarnings(execution, attempt)) host.warn(warning);
  }
  await execution.origins?.noteFiles();
  const reached = await outcomeOf(execution, attempt).catch(
    (error: unknown): EndedOutcome => ({ status: 'failed', error: describeError(error, context.onDefect) }),
  );
  await copyShownFiles(execution);
  const outcome = await withKeptValues(execution, await withSavedFiles(execution, reached));
  const reasonNotToSave =
    outcome.status === 'completed' ? settings.dryRun && 'this is a dry run' : 'the program did not complete';
  for (const warning of (await guestFiles.made()?.skills.end(reasonNotToSave || undefined)) ?? []) host.warn(warning);
  const settled = await redactOutcome(execution, outcome);
  // Without a session and in a dry run, the files end with the execution, unless they hold its result.
  const holdsResult = 'file' in settled.outcome || settled.media.length > 0;
  if ((settings.sessionId === undefined || settings.dryRun) && !holdsResult) {
    // An execution that is continued may have files of before.
    const workspace = earlier ? session.workspace() : session.workspace.made();
    await workspace?.destroy().catch(() => undefined);
    await session.discard();
  }
  return settled;
}

/** Copies the files that the program shows into the output folder. The result is complete without them. */
async function copyShownFiles({ context, session, settings, host, guestFiles }: Execution): Promise<void> {
  const { outputFolder: folder } = context;
  const { media, files } = guestFiles.made() ?? {};
  if (folder === undefined || settings.dryRun || !media || !files) return;
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
  { context, session, settings, host, guestFiles }: Execution,
  outcome: EndedOutcome,
): Promise<EndedOutcome> {
  const isOwn = settings.sessionId === undefined || settings.dryRun;
  if (isOwn && !('file' in outcome) && !(await guestFiles.made()?.media.files())?.length) return outcome;
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
async function cancelPausedCalls(execution: Execution, earlier: Earlier): Promise<void> {
  const { host, catalog, context, settings, session } = execution;
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
