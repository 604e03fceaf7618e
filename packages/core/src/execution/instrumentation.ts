import { type ExecutionBegun, executionBegun, executionEnded } from '../telemetry/diagnostics.ts';
import { withLogIds } from '../telemetry/log-ids.ts';
import { failSpan, inSpan } from '../telemetry/tracing.ts';
import type { ExecutionResult } from './result.ts';

/** Reports an execution to `diagnostics.ts` at its start and end, adds its id to log lines, and traces it as a span. */
export async function instrumented(
  begun: ExecutionBegun,
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
    result = await withLogIds({ executionId: begun.id }, () =>
      inSpan(`run ${begun.language}`, { attributes }, async (span) => {
        const ended = await work();
        span.setAttribute('toolwright.execution.status', ended.status);
        if (ended.status === 'failed') failSpan(span, ended.error.code);
        if (ended.status === 'stopped') failSpan(span, ended.limit);
        return ended;
      }),
    );
    return result;
  } finally {
    executionEnded.publish({ ...begun, ...(result === undefined ? {} : { result }) });
  }
}
