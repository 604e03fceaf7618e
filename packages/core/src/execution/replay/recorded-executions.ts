import { dataFolder, journalKey } from '@toolwright/storage/internal';
import { ToolwrightError } from '../../errors.ts';
import { DEFAULT_PAGE_EXECUTIONS, MAX_PAGE_EXECUTIONS } from '../../history/listing/listed-execution.ts';
import type { ExecutionResult } from '../../history/result.ts';
import type { ExecutionEnds, ExecutionStorage } from '../../history/storages/storage.ts';
import { MAX_VALUE_BYTES, readCalls } from '../../journal/calls.ts';
import { readJournalResult } from '../../journal/ends.ts';
import type { JournalStart } from '../../journal/entries.ts';
import { isExecutionId } from '../../journal/file.ts';
import { endStatus } from '../../journal/history.ts';
import { readRecording } from '../../journal/recording/read-recording.ts';
import type { Recording } from '../../journal/recording/recording.ts';
import { readShownEntries } from '../../journal/recording/shown-entries.ts';
import type { JournalReader } from '../../journal/storages/storage.ts';
import { checkOptionNames } from '../../option-names.ts';
import { checkedName, DEFAULT_USER } from '../../owner-name.ts';
import type { ExecutionReader } from '../executions.ts';
import {
  DEFAULT_PAGE_CALLS,
  DEFAULT_PAGE_ENTRIES,
  type ExecutionCall,
  type ExecutionRecord,
  type ExecutionStatus,
  type ExecutionSummary,
  type Executions,
  MAX_CALL_VALUE_BYTES,
  MAX_PAGE_CALLS,
  MAX_PAGE_ENTRIES,
} from '../executions.ts';

/** The most journals that one page reads; a page that a filter empties is then short. */
const MAX_READ_JOURNALS = 1_000;

/** The statuses of executions whose calls may still be answered. */
const OPEN: ReadonlySet<ExecutionStatus> = new Set(['running', 'suspended']);

/** The executions of a storage, as their journals have them. */
export interface RecordedExecutions extends ExecutionReader {
  /** Reads a whole journal, of a running execution too. Raises `UNKNOWN_EXECUTION`, `JOURNAL_DAMAGED`, `NOT_SUPPORTED`. */
  read(id: string, userId: string | undefined): Promise<Recording>;
}

export interface RecordedOptions {
  /** The folder of the key of the journals. */
  readonly dataDir: string;
  readonly storage: ExecutionStorage;
}

/** The ends of a journal whose start can be read. */
type FoundEnds = ExecutionEnds & { readonly start: JournalStart };

/** Opens the executions of a storage for reading. */
export function openRecordedExecutions({ dataDir, storage }: RecordedOptions): RecordedExecutions {
  const { journals } = storage;

  async function find(id: string, userId: string | undefined): Promise<FoundEnds> {
    const user = checkedName('userId', userId);
    const ends = isExecutionId(id) ? await storage.ends(id, 'whole') : undefined;
    const { start } = ends ?? {};
    if (ends && start && (start.user ?? DEFAULT_USER) === user) return { ...ends, start };
    const shown = JSON.stringify(String(id).slice(0, 64));
    throw new ToolwrightError('UNKNOWN_EXECUTION', `There is no execution ${shown}. Pass the executionId of a result.`);
  }
  async function get(id: string, userId: string | undefined): Promise<ExecutionRecord> {
    const ends = await find(id, userId);
    const result = ends.end && (await readJournalResult(journals, id, ends.end));
    return {
      ...summaryOf(ends.start.at, ends),
      source: ends.start.source,
      result: result === undefined ? undefined : (result as ExecutionResult),
    };
  }

  return {
    get,
    async read(id, userId) {
      await find(id, userId);
      return readRecording(journals, id, journalKey(dataFolder(dataDir).journalKey));
    },
    async list(filter = {}) {
      checkOptionNames('executions.list', filter);
      const { sessionId, status, limit = DEFAULT_PAGE_EXECUTIONS, cursor } = filter;
      requireCount('limit', limit, MAX_PAGE_EXECUTIONS);
      const user = checkedName('userId', filter.userId);
      const executions: ExecutionSummary[] = [];
      let read = 0;
      let last: string | undefined;
      for await (const entry of storage.listHistory(user, { before: cursor, sessionId, status })) {
        // There is another entry, so the page before it is not the last one.
        if (last !== undefined && (executions.length === limit || read === MAX_READ_JOURNALS)) {
          return { executions, nextCursor: last };
        }
        last = entry.key;
        const ends = await storage.ends(entry.id, 'head');
        read++;
        const found = hasStart(ends) ? summaryOf(new Date(entry.startedMs).toISOString(), ends) : undefined;
        if (found && (status === undefined || found.status === status)) executions.push(found);
      }
      return { executions };
    },
    journal: (id, userId, page = {}) => find(id, userId).then(() => readPage(journals, id, page)),
    async calls(id, userId, page = {}) {
      const ends = await find(id, userId);
      const isOpen = OPEN.has(summaryOf(ends.start.at, ends).status);
      return readCallPage(journals, id, isOpen, page);
    },
  };
}

function hasStart(ends: ExecutionEnds | undefined): ends is FoundEnds {
  return ends?.start !== undefined;
}

function summaryOf(startedAt: string, { start, end, suspension, isRunning }: FoundEnds): ExecutionSummary {
  const { id, language, sandbox, session, dryRun, forkedFrom, profile } = start;
  const wait = end ? undefined : suspension;
  const open = suspension ? 'suspended' : isRunning ? 'running' : 'interrupted';
  return {
    id,
    status: end ? endStatus(end.status, end.limit) : open,
    language,
    sandbox,
    isDryRun: dryRun || undefined,
    sessionId: session,
    forkedFrom,
    profile,
    startedAt,
    endedAt: end ? end.at : undefined,
    waitingFor: wait?.waitingFor,
    wakeAt: wait && new Date(wait.wakeMs).toISOString(),
  };
}

async function readCallPage(
  journals: JournalReader,
  id: string,
  isOpen: boolean,
  page: NonNullable<Parameters<Executions['calls']>[2]>,
): Promise<ExecutionCall[]> {
  const { after = 0, limit = DEFAULT_PAGE_CALLS, tools, maxValueBytes = MAX_VALUE_BYTES } = page;
  requireCount('limit', limit, MAX_PAGE_CALLS);
  requireCount('maxValueBytes', maxValueBytes, MAX_CALL_VALUE_BYTES);
  const selected = tools === undefined ? {} : { tools: new Set(tools) };
  const calls = await readCalls(journals, id, { from: after + 1, limit, maxValueBytes, ...selected });
  return calls.map(({ answer, ...call }) => ({
    ...call,
    outcome: answer ? (answer.ok ? 'answered' : 'failed') : isOpen ? 'pending' : 'unknown',
    endedAt: answer?.at,
    resultBytes: answer?.bytes,
    result: answer && 'value' in answer ? answer.value : undefined,
  }));
}

async function readPage(
  journals: JournalReader,
  id: string,
  { after = 0, limit = DEFAULT_PAGE_ENTRIES, kinds }: NonNullable<Parameters<Executions['journal']>[2]>,
) {
  requireCount('limit', limit, MAX_PAGE_ENTRIES);
  return readShownEntries(journals, id, { after, limit, kinds: kinds && new Set(kinds) });
}

function requireCount(name: string, count: number, most: number): void {
  if (Number.isInteger(count) && count >= 1 && count <= most) return;
  throw new ToolwrightError('CONFIG_INVALID', `${name} must be a whole number from 1 to ${most}, not ${count}.`);
}
