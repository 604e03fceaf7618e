import { join } from 'node:path';
import { MAX_MESSAGE_VALUES, parseJsonSteps } from '@toolwright/connectors/internal';
import { inSlices } from '@toolwright/pii/internal';
import { countValueSteps, MAX_NAMES, withQuotedIntegers } from '@toolwright/sandbox/internal';
import { ToolwrightError } from '../../errors.ts';
import type { ResultFile } from '../../history/result.ts';
import type { Execution } from '../execution.ts';
import type { ExecutionRecord } from '../executions.ts';

/** Writes a result over the limit to the workspace, which has a reserve for results. Raises `WORKSPACE_FULL`. */
export async function storeResult(value: string, { id, session }: Execution): Promise<ResultFile> {
  const name = `${id}.json`;
  const path = `/workspace/results/${name}`;
  const content = Buffer.from(value);
  await session.workspace().keep('/workspace/results', name, content);
  const hostPath = join(session.workspace().root, 'results', name);
  return { path, hostPath, bytes: content.length };
}

/** Where stored results are read, and the largest one. */
export interface StoredResults {
  readonly maxBytes: number;
  /** Returns the text of a stored result of the user; undefined for one that was removed. */
  read(execution: ExecutionRecord): Promise<string | undefined>;
}

/** Returns why no program can read a result of this size; undefined if one can. */
function tooLong(bytes: number, maxBytes: number): string | undefined {
  return bytes > maxBytes ? `has ${bytes} bytes; the limit is ${maxBytes} (limits.messageBytes)` : undefined;
}

/** Returns why no program can read a result; undefined if one can. */
export async function unreadable(text: string, maxBytes: number): Promise<string | undefined> {
  const long = tooLong(Buffer.byteLength(text), maxBytes);
  if (long !== undefined) return long;
  const limits = { depth: Number.POSITIVE_INFINITY, values: MAX_MESSAGE_VALUES, names: MAX_NAMES };
  const values = await inSlices(countValueSteps(text, limits));
  if (typeof values === 'number') return undefined;
  return values === 'names'
    ? `has more than ${MAX_NAMES} different names`
    : `has more than ${MAX_MESSAGE_VALUES} values`;
}

/** Reads a stored result. Raises `RESULT_TOO_LARGE`, and `UNKNOWN_EXECUTION` for one that was removed. */
export async function readStoredResult(
  execution: ExecutionRecord,
  bytes: number,
  { maxBytes, read }: StoredResults,
): Promise<unknown> {
  const { id } = execution;
  const long = tooLong(bytes, maxBytes);
  const text = long === undefined ? await read(execution) : '';
  if (text === undefined)
    throw new ToolwrightError('UNKNOWN_EXECUTION', `The value of execution ${id} was removed. Run its program again.`);
  const problem = long ?? (await unreadable(text, maxBytes));
  if (problem === undefined) return inSlices(parseJsonSteps(withQuotedIntegers(text)));
  const message = `The value of execution ${id} ${problem}. Run a program that returns less, or one text.`;
  throw new ToolwrightError('RESULT_TOO_LARGE', message, { details: { bytes } });
}
