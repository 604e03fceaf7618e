import { setTimeout as sleep } from 'node:timers/promises';
import { headersFor } from '../../tool-calls/dispatch.ts';
import type { Execution } from '../execution.ts';

/** Milliseconds for servers to receive it. They need not answer. */
const CANCEL_MS = 10_000;

/**
 * Cancels the tasks of servers for which an execution waited before it was continued, and whose answers its program did not receive. A task
 * that ends with its own call is cancelled there already.
 */
export async function cancelPausedCalls(execution: Execution): Promise<void> {
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
