import { join } from 'node:path';
import { ToolwrightError } from '../errors.ts';
import { readCalls } from '../journal/calls.ts';
import { dataFolder } from '../journal/data-folder.ts';
import type { Decisions } from '../journal/decisions.ts';
import { type JournalEnds, readJournalEnds, readJournalResult } from '../journal/ends.ts';
import { isExecutionId } from '../journal/file.ts';
import { endStatus, type HistoryEntry, readHistory } from '../journal/history.ts';
import { journalKey } from '../journal/integrity.ts';
import type { CancelRequests } from '../journal/leases/cancel-requests.ts';
import type { Owner } from '../journal/leases/owner.ts';
import { isRunning } from '../journal/liveness.ts';
import { readRecording } from '../journal/read-recording.ts';
import type { RecordedQuestion, Recording } from '../journal/recording.ts';
import { checkOptionNames } from '../option-names.ts';
import { checkedName } from '../sessions/lookup.ts';
import { DEFAULT_USER } from '../sessions/session.ts';
import type { ActiveExecutions } from './active-executions.ts';
import { decide } from './decide.ts';
import type { Earlier } from './execution.ts';
import {
  DEFAULT_PAGE_CALLS,
  DEFAULT_PAGE_EXECUTIONS,
  type ExecutionRecord,
  type ExecutionStatus,
  type ExecutionSummary,
  type Executions,
  MAX_PAGE_CALLS,
  MAX_PAGE_EXECUTIONS,
  type ResumeOptions,
} from './executions.ts';
import { pendingOf } from './questions.ts';
import type { Replay } from './replay.ts';
import type { ExecutionResult } from './result.ts';
import { claimExecution } from './resume.ts';

/** The most journals that one page reads; a page that a filter empties is then short. */
const MAX_READ_JOURNALS = 1_000;

export interface ExecutionsOptions {
  readonly dataDir: string;
  readonly active: Pick<ActiveExecutions, 'cancel'>;
  readonly cancels: CancelRequests;
  readonly owner: Owner;
  readonly decisions: Pick<Decisions, 'add' | 'find'>;
  /** Runs an execution that is continued. */
  readonly run: (earlier: Earlier, options: ResumeOptions) => Promise<ExecutionResult>;
  /** Runs a program again with the answers of its journal. */
  readonly replay: (recording: Recording) => Promise<Replay>;
}

/** Creates the executions of a data folder. */
export function createExecutions({
  dataDir,
  active,
  cancels,
  owner,
  decisions,
  run,
  replay,
}: ExecutionsOptions): Executions {
  const folders = dataFolder(dataDir);
  const key = () => journalKey(folders.journalKey);
  const pathOf = (id: string) => join(folders.executions, `${id}.jsonl`);

  const summary = (startedAt: string, ends: JournalEnds, start: NonNullable<JournalEnds['start']>) =>
    summaryOf(dataDir, startedAt, ends, start);

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

  /** Reads a whole journal, of a running execution too. */
  async function recordingOf(id: string, userId: string | undefined): Promise<Recording> {
    await find(id, userId);
    return readRecording(pathOf(id), id, key());
  }
  const isOpenQuestion = ({ start }: Recording, { number, decision }: RecordedQuestion) =>
    !decision && !decisions.find(start.id, number);

  return {
    get,
    async questions(id, userId) {
      const recording = await recordingOf(id, userId);
      if (recording.end) return [];
      return [...recording.questions.values()].filter((question) => isOpenQuestion(recording, question)).map(pendingOf);
    },
    async decide(id, request) {
      checkOptionNames('executions.decide', request);
      const { end, questions } = await recordingOf(id, request.userId);
      if (end) throw executionEnded(end.status);
      return decide(id, [...questions.values()], request, decisions);
    },
    async resume(id, options = {}) {
      checkOptionNames('executions.resume', options);
      const read = () => recordingOf(id, options.userId);
      return run(await claimExecution({ folder: folders.claims, owner, read }), options);
    },
    replay: async (id, userId) => replay(await recordingOf(id, userId)),
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
        throw executionEnded(status);
      }
      if (!active.cancel(id)) await cancels.add(id);
      return get(id, userId);
    },
  };
}

function executionEnded(status: string): ToolwrightError {
  return new ToolwrightError('EXECUTION_ENDED', `The execution has ended: its status is "${status}". Read it instead.`);
}

/** Returns whether an entry can match, by its name alone. */
function mayMatch(entry: HistoryEntry, sessionId: string | undefined, status: ExecutionStatus | undefined): boolean {
  if (sessionId !== undefined && entry.session !== sessionId) return false;
  return status === undefined || entry.status === undefined || entry.status === status;
}

function summaryOf(
  dataDir: string,
  startedAt: string,
  { end, suspension }: JournalEnds,
  start: NonNullable<JournalEnds['start']>,
): ExecutionSummary {
  const { id, language, sandbox, session } = start;
  const open = suspension ? 'suspended' : isRunning(dataDir, start) ? 'running' : 'interrupted';
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
