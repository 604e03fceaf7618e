import { setTimeout as sleep } from 'node:timers/promises';
import { ToolwrightError } from '../../errors.ts';
import type { ExecutionPart } from '../../history/result.ts';
import type { ExecutionReader, ExecutionRecord } from '../executions.ts';
import { readStoredResult, type StoredResults } from '../large-results/stored-result.ts';

/** Milliseconds that a program waits for another execution to end, and between two looks. */
const MAX_WAIT_MS = 10_000;
const LOOK_MS = 100;

/**
 * Returns the value or the log lines of another execution of the same user, for `execution(id, part)` in a program. Waits up to 10
 * seconds while it runs. Raises `UNKNOWN_EXECUTION`, `EXECUTION_RUNNING`, `EXECUTION_SUSPENDED`, `EXECUTION_FAILED` for a value, and
 * `RESULT_TOO_LARGE`.
 */
export async function executionValue(
  executions: ExecutionReader,
  id: string,
  userId: string,
  { part = 'value', ...stored }: StoredResults & { readonly part?: ExecutionPart },
): Promise<unknown> {
  const deadline = performance.now() + MAX_WAIT_MS;
  let record = await executions.get(id, userId);
  while (!hasSettled(record) && performance.now() < deadline) {
    await sleep(LOOK_MS);
    record = await executions.get(id, userId);
  }
  if (part === 'logs') return settledLogs(record);
  return settledValue(record, stored);
}

/** An interrupted execution may be continued by a server. */
function hasSettled({ status }: ExecutionRecord): boolean {
  return status !== 'running' && status !== 'interrupted';
}

function settledValue(record: ExecutionRecord, stored: StoredResults): unknown {
  requireSettled(record);
  const { id, status, result } = record;
  if (result?.status === 'completed')
    return result.file ? readStoredResult(record, result.file.bytes, stored) : result.value;
  const cause = result?.status === 'failed' ? `${result.error.name}: ${result.error.message}` : stopOf(result, status);
  throw new ToolwrightError('EXECUTION_FAILED', `Execution ${id} has no value: ${cause}`, { details: { status } });
}

/** Returns the log lines; those that are not of the level `info` begin with their level. */
function settledLogs(record: ExecutionRecord): string[] {
  requireSettled(record);
  const { logs = [], stats } = record.result ?? {};
  const lines = logs.map(({ level, text }) => (level === 'info' ? text : `${level}: ${text}`));
  const dropped = stats?.droppedLogBytes ?? 0;
  return dropped > 0
    ? [...lines, `… ${dropped} bytes over the limit of logs were dropped. Write long output to a file.`]
    : lines;
}

/** Raises an error for an execution that has not ended. */
function requireSettled({ id, status, waitingFor = [], wakeAt }: ExecutionRecord): void {
  if (status === 'suspended') {
    const until = `It goes on after a decision of a person, or at ${wakeAt}.`;
    const message = `Execution ${id} waits for: ${waitingFor.join(', ')}. ${until} Ask for its value later.`;
    throw new ToolwrightError('EXECUTION_SUSPENDED', message, { details: { waitingFor, wakeAt } });
  }
  if (status === 'running' || status === 'interrupted') {
    const message = `Execution ${id} has not ended: its status is "${status}". Ask for its value later.`;
    throw new ToolwrightError('EXECUTION_RUNNING', message);
  }
}

function stopOf(result: ExecutionRecord['result'], status: string): string {
  return result?.status === 'stopped' ? result.message : `its journal has the status "${status}" and no result.`;
}
