import { join } from 'node:path';
import { countValues, MAX_NAMES } from '@toolwright/sandbox/internal';
import { MAX_MESSAGE_VALUES } from '../../connectors/mcp/message-meter.ts';
import { ToolwrightError } from '../../errors.ts';
import type { Execution } from '../execution.ts';
import type { ExecutionRecord } from '../executions.ts';
import type { ResultFile } from '../result.ts';

/** Writes a result over the limit to the workspace. Raises `WORKSPACE_FULL`. */
export async function storeResult(value: string, { id, session }: Execution): Promise<ResultFile> {
  const name = `${id}.json`;
  const path = `/workspace/results/${name}`;
  await session.workspace.makeFolder('/workspace/results', true);
  const content = Buffer.from(value);
  await session.workspace.write(path, content, 'replace');
  const hostPath = join(session.workspace.root, 'results', name);
  return { path, hostPath, bytes: content.length };
}

/** Where stored results are read, and the largest one. */
export interface StoredResults {
  readonly maxBytes: number;
  /** Returns the text of a stored result of the user; undefined for one that was removed. */
  read(execution: Pick<ExecutionRecord, 'id' | 'sessionId'>): Promise<string | undefined>;
}

/** Reads a stored result. Raises `RESULT_TOO_LARGE`, and `UNKNOWN_EXECUTION` for one that was removed. */
export async function readStoredResult(
  execution: Pick<ExecutionRecord, 'id' | 'sessionId'>,
  bytes: number,
  { maxBytes, read }: StoredResults,
): Promise<unknown> {
  const { id } = execution;
  if (bytes > maxBytes) {
    const message = `The value of execution ${id} has ${bytes} bytes; the limit is ${maxBytes}. Run a program that returns less.`;
    throw new ToolwrightError('RESULT_TOO_LARGE', message, { details: { bytes } });
  }
  const text = await read(execution);
  if (text !== undefined) {
    const values = countValues(text, { depth: Number.POSITIVE_INFINITY, values: MAX_MESSAGE_VALUES, names: MAX_NAMES });
    if (typeof values === 'number') return JSON.parse(text);
    const what = values === 'names' ? `${MAX_NAMES} different names` : `${MAX_MESSAGE_VALUES} values`;
    const message = `The value of execution ${id} has more than ${what}. Run a program that returns less, or one text.`;
    throw new ToolwrightError('RESULT_TOO_LARGE', message, { details: { bytes } });
  }
  throw new ToolwrightError('UNKNOWN_EXECUTION', `The value of execution ${id} was removed. Run its program again.`);
}
