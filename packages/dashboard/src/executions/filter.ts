import type { Status } from '../api/client.ts';
import type { ListedExecution } from '../api/types.ts';

/** The filter of the list, as in the URL. */
export interface ExecutionSearch {
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
  /** Hours before now. */
  readonly hours?: number;
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
const MAX_HOURS = 24 * 365;

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
  const hours = Number(given.hours);
  if (Number.isFinite(hours) && hours > 0) found.hours = Math.min(hours, MAX_HOURS);
  return found;
}

/** The parameters of `GET /executions`. */
export type ExecutionQuery = Readonly<Record<string, string | undefined>>;

/** Returns the parameters of a search. The start of its time is a whole minute, so that equal searches are equal. */
export function queryOf({ hours, ...search }: ExecutionSearch, now: number): ExecutionQuery {
  const minute = Math.floor(now / 60_000) * 60_000;
  const from = hours === undefined ? {} : { from: new Date(minute - hours * 3_600_000).toISOString() };
  return { ...search, ...from };
}

/**
 * Returns whether a changed execution belongs to a list: `unknown` when only the server can decide, because the change has
 * no texts and no calls.
 */
export function belongs(execution: ListedExecution, search: ExecutionSearch): boolean | 'unknown' {
  if (search.status !== undefined && execution.status !== search.status) return false;
  if (search.sessionId !== undefined && execution.sessionId !== search.sessionId) return false;
  if (search.hours !== undefined && Date.now() - Date.parse(execution.startedAt) > search.hours * 3_600_000)
    return false;
  if (search.userId !== undefined && execution.userId !== search.userId) return false;
  if (search.error !== undefined && execution.error?.code !== search.error) return false;
  const calls = (tool: string) => execution.tools.some((called) => called.tool === tool);
  if (search.tool !== undefined && !calls(search.tool)) return false;
  if (search.minMs !== undefined && !((execution.totalMs ?? 0) >= Number(search.minMs))) return false;
  const tokens = (execution.tokens?.code ?? 0) + (execution.tokens?.output ?? 0);
  if (search.minTokens !== undefined && tokens < Number(search.minTokens)) return false;
  return search.q === undefined ? true : 'unknown';
}
