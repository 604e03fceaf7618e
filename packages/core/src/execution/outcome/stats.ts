import type { ExecutionOutcome, ExecutionStats } from '../../history/result.ts';
import { loadTokenizer } from '../../telemetry/tokens.ts';
import type { Attempt, Ending, Execution, Settled } from '../execution.ts';

/** Measures the cost of a settled execution. */
export async function measureExecution(
  { source, context, host, openedAt }: Execution,
  { stats }: Attempt<Ending>,
  { outcome, logs }: Settled<ExecutionOutcome>,
): Promise<ExecutionStats> {
  const calls = host.calls();
  const sums = { toolErrors: 0, argumentBytes: 0, toolResultBytes: 0 };
  for (const { status, argumentBytes, resultBytes } of calls) {
    if (status === 'failed') sums.toolErrors++;
    sums.argumentBytes += argumentBytes;
    sums.toolResultBytes += resultBytes;
  }
  const totalMs = performance.now() - openedAt;
  const countTokens = await loadTokenizer();
  const isCompleted = outcome.status === 'completed';
  const value = isCompleted ? (JSON.stringify(outcome.value) ?? '') : JSON.stringify(outcome);
  const shown = [value, ...(isCompleted ? [outcome.note ?? ''] : []), ...logs.map(({ text }) => text)];
  return {
    sandbox: context.sandbox.name,
    sandboxReason: context.sandboxReason ?? 'given by the caller',
    sandboxWarning: context.sandboxWarning,
    check: stats.check,
    prepareMs: rounded(stats.prepareMs),
    checkMs: rounded(stats.checkMs),
    runMs: rounded(stats.runMs),
    totalMs: rounded(totalMs),
    toolCalls: calls.length,
    ...sums,
    resultBytes: Buffer.byteLength(value),
    droppedLogBytes: host.droppedLogBytes(),
    tokens: {
      code: countTokens(source),
      output: countTokens(shown.filter((text) => text !== '').join('\n')),
    },
  };
}

/** Returns milliseconds with three decimals. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1_000) / 1_000;
}
