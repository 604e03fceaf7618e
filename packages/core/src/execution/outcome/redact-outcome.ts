import type { ExecutionOutcome, FailedOutcome } from '../../history/result.ts';
import type { Execution, Settled } from '../execution.ts';
import { describeError } from './failure.ts';

/** Redacts everything that leaves an execution at its end. If that fails, only the error leaves. Never rejects. */
export async function redactOutcome<Outcome extends ExecutionOutcome>(
  { source, settings, context, redactor, values, events, host, guestFiles, dryRun }: Execution,
  outcome: Outcome,
): Promise<Settled<Outcome | FailedOutcome>> {
  const calls = host.calls();
  const tools = new Map<string, string>();
  for (const { tool } of calls) tools.set(tool, '');
  const called = [...tools.keys()];
  try {
    // The status is no text of others. The path on the host is not for a model, and may look like personal data.
    const { status, file, ...rest } = 'file' in outcome ? outcome : { ...outcome, file: undefined };
    // A shown value is found in any case, and several values may be equal then.
    const concealed = (await values.concealValue(rest)) as typeof rest;
    const { media, changedFiles } = guestFiles.made() ?? {};
    const shown = (await media?.files()) ?? [];
    const [redacted, code, files, redactedTools, planned, names] = await redactor.redact([
      concealed,
      // Only the log of a session has the program.
      settings.sessionId === undefined ? '' : source,
      changedFiles?.() ?? [],
      called,
      dryRun?.calls() ?? [],
      shown.map(({ name = '' }) => name),
    ] as const);
    for (const [index, tool] of called.entries()) tools.set(tool, redactedTools[index] ?? '');
    const recorded: Settled<Outcome>['calls'][number][] = [];
    for (const call of calls) recorded.push({ ...call, tool: tools.get(call.tool) ?? '' });
    const logs = await events.end();
    // Where programs receive values, they do not guess them.
    if (!redactor.givesValues) await values.countGuesses([redacted, logs]);
    return {
      outcome: { status, ...redacted, ...(file ? { file } : {}) } as Outcome,
      logs,
      calls: recorded,
      code,
      files,
      media: shown.map((each, index) => (each.name === undefined ? each : { ...each, name: names[index] ?? '' })),
      planned,
    };
  } catch (error) {
    return {
      outcome: { status: 'failed', error: describeError(error, context.onDefect) },
      logs: [],
      calls: calls.map((call) => ({ ...call, tool: 'withheld' })),
      code: '',
      files: [],
      media: [],
      planned: [],
    };
  }
}
