import type { Status } from '../api/client.ts';
import type { ListedExecution } from '../api/types.ts';
import { type TimeRange, timeRangeOf, timesOf } from '../parts/time/time-range.ts';

/** The filter of the list, as in the URL. */
export interface ExecutionSearch extends TimeRange {
  readonly status?: Status;
  /** Words of the program, its error and its tools. */
  readonly q?: string;
  readonly userId?: string;
  readonly sessionId?: string;
  readonly tool?: string;
  /** Code of an error. */
  readonly error?: string;
  /** The least time, in milliseconds. */
  readonly minMs?: string;
  /** The least tokens of the program and its output together. */
  readonly minTokens?: string;
}

export const STATUSES: readonly Status[] = [
  'running',
  'suspended',
  'completed',
  'failed',
  'stopped',
  'cancelled',
  'interrupted',
];
const TEXTS = ['q', 'userId', 'sessionId', 'tool', 'error'] as const;
const MAX_TEXT = 200;
/** The most tools that a listed execution has. */
const MAX_TOOLS = 20;

/** Returns the valid parts of a search in a URL. */
export function searchOf(given: Readonly<Record<string, unknown>>): ExecutionSearch {
  const found: Record<string, unknown> = {};
  if (STATUSES.includes(given.status as Status)) found.status = given.status;
  for (const name of TEXTS) {
    const text = given[name];
    if (typeof text === 'string' || typeof text === 'number') {
      if (String(text) !== '') found[name] = String(text).slice(0, MAX_TEXT);
    }
  }
  for (const name of ['minMs', 'minTokens'])
    if (/^\d{1,9}$/.test(String(given[name] ?? ''))) found[name] = String(given[name]);
  return { ...found, ...timeRangeOf(given) };
}

/** The parameters of `GET /executions`. */
export type ExecutionQuery = Readonly<Record<string, string | undefined>>;

/** Returns the parameters of a search. */
export function queryOf({ hours, from, to, ...search }: ExecutionSearch, now: number): ExecutionQuery {
  return { ...search, ...timesOf({ hours, from, to }, now) };
}

/**
 * Returns whether a changed execution belongs to a list: `unknown` when only the server can decide. A change has no
 * texts, and not all of its tools.
 */
export function belongs(execution: ListedExecution, search: ExecutionSearch): boolean | 'unknown' {
  const { status, sessionId, userId, error, tool, minMs, minTokens, q } = search;
  if (status !== undefined && execution.status !== status) return false;
  if (sessionId !== undefined && execution.sessionId !== sessionId) return false;
  if (userId !== undefined && execution.userId !== userId) return false;
  if (error !== undefined && execution.error?.code !== error) return false;
  if (minMs !== undefined && !((execution.totalMs ?? 0) >= Number(minMs))) return false;
  const tokens = (execution.tokens?.code ?? 0) + (execution.tokens?.output ?? 0);
  if (minTokens !== undefined && tokens < Number(minTokens)) return false;
  const { from, to } = timesOf(search, Date.now());
  const started = Date.parse(execution.startedAt);
  if (from !== undefined && started < Date.parse(from)) return false;
  if (to !== undefined && started >= Date.parse(to)) return false;
  if (tool !== undefined && !execution.tools.some((called) => called.tool === tool))
    return execution.tools.length < MAX_TOOLS ? false : 'unknown';
  return q === undefined ? true : 'unknown';
}
