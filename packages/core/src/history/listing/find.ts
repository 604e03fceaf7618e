import { ToolwrightError } from '../../errors.ts';
import { isExecutionId } from '../../journal/file.ts';
import { checkedName } from '../../owner-name.ts';
import type { ExecutionStatus } from '../execution-summary.ts';
import { type ExecutionIndex, type RowFilter, searchWords } from './execution-index.ts';
import {
  DEFAULT_PAGE_EXECUTIONS,
  type ExecutionQuery,
  type FoundExecutions,
  type ListedExecution,
  MAX_PAGE_EXECUTIONS,
} from './listed-execution.ts';
import { type ExecutionRow, keyAt, type StoredRow } from './row.ts';

/** The most rows that one page reads; a page that a filter empties is then short. */
const MAX_READ_ROWS = 1_000;
/** JSON text has about four bytes per token. */
const BYTES_PER_TOKEN = 4;
/** An id that no execution has: a text of another form matches none. */
const NO_EXECUTION = '00000000-0000-0000-0000-000000000000';
const LIVE: ReadonlySet<ExecutionStatus> = new Set(['running', 'interrupted']);

/** Returns a page of executions. */
export async function findExecutions(index: ExecutionIndex, query: ExecutionQuery): Promise<FoundExecutions> {
  const { limit = DEFAULT_PAGE_EXECUTIONS, cursor, total = false } = query;
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_PAGE_EXECUTIONS)) {
    const message = `limit must be a whole number from 1 to ${MAX_PAGE_EXECUTIONS}, not ${limit}.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const filter = filterOf(query);
  const statuses = statusesOf(query);
  // Only the lease of its process shows whether an execution runs.
  const isSplit =
    statuses?.some((status) => LIVE.has(status)) && ![...LIVE].every((status) => statuses.includes(status));
  const found: ListedExecution[] = [];
  let before = earlier(filter.before, cursor);
  let read = 0;
  let last: ExecutionRow | undefined;
  const finish = async (nextCursor?: string): Promise<FoundExecutions> => ({
    executions: found,
    nextCursor,
    total: total && !isSplit ? await index.count(filter) : undefined,
  });
  for (;;) {
    const size = isSplit ? MAX_PAGE_EXECUTIONS : limit + 1;
    const rows = await index.page({ ...filter, before }, size);
    for (const row of rows) {
      if (found.length === limit) return finish(last?.key);
      const listed = listedOf(row);
      if (!isSplit || statuses?.includes(listed.status)) found.push(listed);
      last = row;
    }
    read += rows.length;
    if (rows.length < size) return finish();
    if (read >= MAX_READ_ROWS) return finish(last?.key);
    before = last?.key;
  }
}

/** Returns an execution as lists have it. */
export function listedOf(row: StoredRow): ListedExecution {
  const { key: _key, change: _change, owner: _owner, isRunning, status, callBytes, ...facts } = row;
  const open = isRunning ? 'running' : 'interrupted';
  return { ...facts, status: status ?? open, directTokens: Math.ceil(callBytes / BYTES_PER_TOKEN) };
}

/** Returns the rows of a query, as far as the index can select them. */
export function filterOf(query: ExecutionQuery): RowFilter {
  const { id, sessionId, tool, error, minTokens, minMs, hasQuestions, isDryRun, from, to, text, all = false } = query;
  const statuses = statusesOf(query)?.map((status) => (LIVE.has(status) ? 'open' : status) as 'open');
  const words = text === undefined ? undefined : searchWords(text);
  return {
    userId: all ? undefined : checkedName('userId', query.userId),
    id: id === undefined ? undefined : isExecutionId(id) ? id : NO_EXECUTION,
    sessionId,
    error,
    minTokens,
    minMs,
    hasQuestions,
    isDryRun,
    tools: tool === undefined ? undefined : typeof tool === 'string' ? [tool] : tool,
    statuses: statuses ? [...new Set(statuses)] : undefined,
    words: words && words.length > 0 ? words : undefined,
    from: from === undefined ? undefined : keyAt(timeOf('from', from)),
    before: to === undefined ? undefined : keyAt(timeOf('to', to)),
  };
}

function statusesOf({ status }: ExecutionQuery): readonly ExecutionStatus[] | undefined {
  return typeof status === 'string' ? [status] : status;
}

function timeOf(name: string, text: string): number {
  const ms = Date.parse(text);
  if (!Number.isNaN(ms)) return ms;
  throw new ToolwrightError(
    'CONFIG_INVALID',
    `${name} must be a time in ISO 8601, not ${JSON.stringify(text.slice(0, 40))}.`,
  );
}

function earlier(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}
