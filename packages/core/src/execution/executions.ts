import { join } from 'node:path';
import { ToolwrightError } from '../errors.ts';
import { readCalls } from '../journal/calls.ts';
import { dataFolder } from '../journal/data-folder.ts';
import { type JournalEnds, readJournalEnds, readJournalResult } from '../journal/ends.ts';
import { isExecutionId } from '../journal/file.ts';
import { type EndStatus, endStatus, type HistoryEntry, readHistory } from '../journal/history.ts';
import { isRunning } from '../journal/liveness.ts';
import { checkOptionNames } from '../option-names.ts';
import { checkedName } from '../sessions/lookup.ts';
import { DEFAULT_USER } from '../sessions/session.ts';
import type { ActiveExecutions } from './active-executions.ts';
import type { ExecutionResult } from './result.ts';

/** The status of an execution. `interrupted`: its process ended before it. */
export type ExecutionStatus = 'running' | EndStatus | 'interrupted';

/** An execution in a list. */
export interface ExecutionSummary {
  readonly id: string;
  readonly status: ExecutionStatus;
  readonly language: string;
  readonly sandbox: string;
  readonly sessionId?: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** ISO 8601, UTC. Absent for an execution that runs or was interrupted. */
  readonly endedAt?: string;
}

/** An execution with its program and its result. */
export interface ExecutionRecord extends ExecutionSummary {
  /** The program, as its author wrote it. */
  readonly source: string;
  /** The redacted result, as its caller received it. Absent where the journal does not have it. */
  readonly result?: ExecutionResult;
}

/** A tool call of an execution. */
export interface ExecutionCall {
  /** From 1. */
  readonly number: number;
  readonly tool: string;
  /** `unknown`: the call was sent and not answered, so it may have taken effect. `pending`: it may still be answered. */
  readonly outcome: 'answered' | 'failed' | 'pending' | 'unknown';
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly argumentBytes: number;
  /** Redacted. Absent over 16 KiB. */
  readonly arguments?: unknown;
  readonly resultBytes?: number;
  /** The result, or the error of a failed call, redacted. Absent over 16 KiB. */
  readonly result?: unknown;
}

export interface ExecutionFilter {
  /** Default: `local`. */
  readonly userId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly status?: ExecutionStatus | undefined;
  /** Executions in the page: 1 to 200. Default: 50. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/**
 * The executions of a data folder, by their journals. Each belongs to one user: for other users, its id is unknown, and the
 * methods raise `UNKNOWN_EXECUTION`, as for an execution that never existed.
 */
export interface Executions {
  /** Returns a page of the user's executions, newest first. It may be short: there are more while there is a `nextCursor`. */
  list(filter?: ExecutionFilter): Promise<{ readonly executions: ExecutionSummary[]; readonly nextCursor?: string }>;
  get(id: string, userId?: string): Promise<ExecutionRecord>;
  /** Returns the calls after the call number `after` (default 0), at most 500 (default 100). */
  calls(
    id: string,
    userId?: string,
    page?: { readonly after?: number | undefined; readonly limit?: number | undefined },
  ): Promise<ExecutionCall[]>;
  /**
   * Cancels a running execution, which ends a moment later. Raises `EXECUTION_ENDED`, and `NOT_SUPPORTED` when it runs in another
   * process.
   */
  cancel(id: string, userId?: string): Promise<ExecutionRecord>;
}

export const DEFAULT_PAGE_EXECUTIONS = 50;
export const MAX_PAGE_EXECUTIONS = 200;
export const DEFAULT_PAGE_CALLS = 100;
export const MAX_PAGE_CALLS = 500;
/** The most journals that one page reads; a page that a filter empties is then short. */
const MAX_READ_JOURNALS = 1_000;

/** Creates the executions of a data folder. */
export function createExecutions(dataDir: string, active: Pick<ActiveExecutions, 'cancel'>): Executions {
  const folders = dataFolder(dataDir);
  const pathOf = (id: string) => join(folders.executions, `${id}.jsonl`);

  async function find(
    id: string,
    userId: string | undefined,
  ): Promise<JournalEnds & Required<Pick<JournalEnds, 'start'>>> {
    const user = checkedName('userId', userId);
    const ends = isExecutionId(id) ? await readJournalEnds(pathOf(id), 'whole') : undefined;
    const { start } = ends ?? {};
    if (ends && start && (start.user ?? DEFAULT_USER) === user) return { ...ends, start };
    const shown = JSON.stringify(String(id).slice(0, 64));
    throw new ToolwrightError('UNKNOWN_EXECUTION', `There is no execution ${shown}. Pass the executionId of a result.`);
  }
  async function get(id: string, userId: string | undefined): Promise<ExecutionRecord> {
    const ends = await find(id, userId);
    const result = ends.end && (await readJournalResult(pathOf(id), ends.end));
    return {
      ...summary(ends.start.at, ends, ends.start),
      source: ends.start.source,
      ...(result === undefined ? {} : { result: result as ExecutionResult }),
    };
  }

  return {
    get,
    async list(filter = {}) {
      checkOptionNames('executions.list', filter);
      const { sessionId, status, limit = DEFAULT_PAGE_EXECUTIONS, cursor } = filter;
      requireCount('limit', limit, MAX_PAGE_EXECUTIONS);
      const history = await readHistory(folders.history(checkedName('userId', filter.userId)));
      const executions: ExecutionSummary[] = [];
      let read = 0;
      for (const [index, entry] of history.entries()) {
        if (cursor !== undefined && entry.key >= cursor) continue;
        if (!mayMatch(entry, sessionId, status)) continue;
        const ends = await readJournalEnds(pathOf(entry.id), 'head');
        read++;
        const found = ends?.start && summary(new Date(entry.startedMs).toISOString(), ends, ends.start);
        if (found && (status === undefined || found.status === status)) executions.push(found);
        const isLast = index === history.length - 1;
        if (!isLast && (executions.length === limit || read === MAX_READ_JOURNALS)) {
          return { executions, nextCursor: entry.key };
        }
      }
      return { executions };
    },
    async calls(id, userId, { after = 0, limit = DEFAULT_PAGE_CALLS } = {}) {
      requireCount('limit', limit, MAX_PAGE_CALLS);
      const ends = await find(id, userId);
      const isOpen = summary(ends.start.at, ends, ends.start).status === 'running';
      const calls = await readCalls(pathOf(id), after + 1, after + limit);
      return calls.map(({ answer, ...call }) => ({
        ...call,
        outcome: answer ? (answer.ok ? 'answered' : 'failed') : isOpen ? 'pending' : 'unknown',
        ...(answer ? { endedAt: answer.at, resultBytes: answer.bytes } : {}),
        ...(answer && 'value' in answer ? { result: answer.value } : {}),
      }));
    },
    async cancel(id, userId) {
      const { status } = await get(id, userId);
      if (status !== 'running') {
        throw new ToolwrightError(
          'EXECUTION_ENDED',
          `The execution has ended: its status is "${status}". Read it instead.`,
        );
      }
      if (active.cancel(id)) return get(id, userId);
      const message = 'The execution runs in another process. Cancel it there.';
      throw new ToolwrightError('NOT_SUPPORTED', message);
    },
  };
}

/** Returns whether an entry can match, as far as its name tells. */
function mayMatch(entry: HistoryEntry, sessionId: string | undefined, status: ExecutionStatus | undefined): boolean {
  if (sessionId !== undefined && entry.session !== sessionId) return false;
  return status === undefined || entry.status === undefined || entry.status === status;
}

function summary(
  startedAt: string,
  { end, changedMs }: JournalEnds,
  start: NonNullable<JournalEnds['start']>,
): ExecutionSummary {
  const { id, language, sandbox, session } = start;
  const open = isRunning(start, changedMs) ? 'running' : 'interrupted';
  return {
    id,
    status: end ? endStatus(end.status, end.limit) : open,
    language,
    sandbox,
    ...(session === undefined ? {} : { sessionId: session }),
    startedAt,
    ...(end ? { endedAt: end.at } : {}),
  };
}

function requireCount(name: string, count: number, most: number): void {
  if (Number.isInteger(count) && count >= 1 && count <= most) return;
  throw new ToolwrightError('CONFIG_INVALID', `${name} must be a whole number from 1 to ${most}, not ${count}.`);
}
