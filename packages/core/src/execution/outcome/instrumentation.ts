import { failSpan, inSpan } from '@toolwright/connectors/internal';
import type { ExecutionResult } from '../../history/result.ts';
import { logIds, withLogIds } from '../../telemetry/log-ids.ts';
import type { ExecutionContext } from '../execution.ts';
import { type ExecutionBegun, executionBegun, executionEnded } from './diagnostics.ts';

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
