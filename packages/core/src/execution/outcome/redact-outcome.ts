import type { ExecutionOutcome, FailedOutcome } from '../../history/result.ts';
import type { Execution, Settled } from '../execution.ts';
import { describeError } from './failure.ts';

/** Redacts everything that leaves an execution at its end. If that fails, only the error leaves. Never rejects. */
export async function redactOutcome<Outcome extends ExecutionOutcome>(
  { source, context, redactor, values, events, host, changedFiles, dryRun, media }: Execution,
  outcome: Outcome,
): Promise<Settled<Outcome | FailedOutcome>> {
  const calls = host.calls();
  try {
    // The path on the host is not for a model, and may look like personal data.
    const { file, ...rest } = 'file' in outcome ? outcome : { ...outcome, file: undefined };
    // A shown value is found in any case, and several values may be equal then.
    const concealed = (await values.concealValue(rest)) as typeof rest;
    const shown = await media.files();
    const [redacted, code, files, tools, planned, names] = await redactor.redact([
      concealed,
      source,
      changedFiles(),
      calls.map(({ tool }) => tool),
      dryRun?.calls() ?? [],
      shown.map(({ name = '' }) => name),
    ] as const);
    const logs = await events.end();
    // Where programs receive values, they do not guess them.
    if (!redactor.givesValues) await values.countGuesses([redacted, logs]);
    return {
      outcome: { ...redacted, ...(file ? { file } : {}) } as Outcome,
      logs,
      calls: calls.map((call, index) => ({ ...call, tool: tools[index] ?? '' })),
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
