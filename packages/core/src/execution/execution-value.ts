import { setTimeout as sleep } from 'node:timers/promises';
import { ToolwrightError } from '../errors.ts';
import type { ExecutionRecord, Executions } from './executions.ts';

/** Milliseconds that a program waits for another execution to end, and between two looks. */
const MAX_WAIT_MS = 10_000;
const LOOK_MS = 100;

/**
 * Returns the value of another execution of the same user, for `execution(id)` in a program. Waits up to 10 seconds while it runs.
 * Raises `UNKNOWN_EXECUTION`, `EXECUTION_RUNNING`, `EXECUTION_SUSPENDED`, `EXECUTION_FAILED`, and `RESULT_TOO_LARGE` when a file has the
 * value.
 */
export async function executionValue(
  executions: Pick<Executions, 'get'>,
  id: string,
  userId: string,
): Promise<unknown> {
  const deadline = performance.now() + MAX_WAIT_MS;
  let record = await executions.get(id, userId);
  while (!hasSettled(record) && performance.now() < deadline) {
    await sleep(LOOK_MS);
    record = await executions.get(id, userId);
  }
  return settledValue(record);
}

/** An interrupted execution may be continued by a server. */
function hasSettled({ status }: ExecutionRecord): boolean {
  return status !== 'running' && status !== 'interrupted';
}

function settledValue({ id, status, waitingFor = [], wakeAt, result }: ExecutionRecord): unknown {
  if (status === 'suspended') {
    const until = `It goes on after a decision of a person, or at ${wakeAt}.`;
    const message = `Execution ${id} waits for: ${waitingFor.join(', ')}. ${until} Ask for its value later.`;
    throw new ToolwrightError('EXECUTION_SUSPENDED', message, { details: { waitingFor, wakeAt } });
  }
  if (status === 'running' || status === 'interrupted') {
    const message = `Execution ${id} has not ended: its status is "${status}". Ask for its value later.`;
    throw new ToolwrightError('EXECUTION_RUNNING', message);
  }
  if (result?.status === 'completed') {
    if (!result.file) return result.value;
    const { path, bytes } = result.file;
    const message = `The value of execution ${id} has ${bytes} bytes. Its session has it in the file ${path}.`;
    throw new ToolwrightError('RESULT_TOO_LARGE', message, { details: { path, bytes } });
  }
  const cause = result?.status === 'failed' ? `${result.error.name}: ${result.error.message}` : stopOf(result, status);
  throw new ToolwrightError('EXECUTION_FAILED', `Execution ${id} has no value: ${cause}`, { details: { status } });
}

function stopOf(result: ExecutionRecord['result'], status: string): string {
  return result?.status === 'stopped' ? result.message : `its journal has the status "${status}" and no result.`;
}
