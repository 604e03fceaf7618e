import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { failSpan, inSpan } from '@toolwright/connectors/internal';
import type { PreparedSource } from '@toolwright/sandbox';
import type { EndedOutcome, ExecutionResult } from '../history/result.ts';
import type { SuspendEntry } from '../journal/entries.ts';
import { sessionEntry } from '../sessions/log.ts';
import { logIds, withLogIds } from '../telemetry/log-ids.ts';
import { headersFor } from '../tool-calls/send.ts';
import { checkProgram, type PreRunCheck } from './check/check.ts';
import type { Attempt, Earlier, Ending, Execution, ExecutionContext, ExecutionSettings, Settled } from './execution.ts';
import { openExecution, prepareProgram } from './open.ts';
import { type ExecutionBegun, executionBegun, executionEnded } from './outcome/diagnostics.ts';
import { describeError } from './outcome/failure.ts';
import { withoutHostPaths } from './outcome/host-paths.ts';
import { outcomeOf } from './outcome/outcome.ts';
import { computedExpressions, placeholderWarnings } from './outcome/placeholder-warnings.ts';
import { redactOutcome } from './outcome/redact-outcome.ts';
import { measureExecution } from './outcome/stats.ts';
import { outcomeText } from './replay/outcome-text.ts';
import { runProgram } from './run.ts';

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

/**
 * Reports an execution to `diagnostics.ts` at its start and end, and traces it as a span. Adds its id to log lines in a server, and where
 * more than warnings are logged.
 */
export async function instrumented(
  begun: ExecutionBegun,
  { hasLogIds }: ExecutionContext,
  work: () => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  const attributes = {
    'toolwright.execution.id': begun.id,
    'toolwright.execution.language': begun.language,
    'toolwright.sandbox.name': begun.sandbox,
  };
  let result: ExecutionResult | undefined;
  executionBegun.publish(begun);
  try {
    const run = () =>
      inSpan(`run ${begun.language}`, { attributes }, async (span) => {
        const ended = await work();
        span.setAttribute('toolwright.execution.status', ended.status);
        if (ended.status === 'failed') failSpan(span, ended.error.code);
        if (ended.status === 'stopped') failSpan(span, ended.limit);
        return ended;
      });
    const isLogged = hasLogIds || Object.keys(logIds()).length > 0;
    result = await (isLogged ? withLogIds({ executionId: begun.id }, run) : run());
    return result;
  } finally {
    executionEnded.publish({ ...begun, result });
  }
}
