import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { ToolwrightError } from '../errors.ts';
import { JOURNAL_FORMAT, type JournalEnd, type JournalEntry, type JournalStart, type ReplyEntry } from './entries.ts';
import { type Chain, createChain } from './integrity.ts';

/** Everything that the guest of an execution received, in order. */
export interface Recording {
  readonly start: JournalStart;
  /** The answers, in the order of delivery. */
  readonly replies: readonly RecordedReply[];
  /** The tool calls that were sent, by the id of their request. */
  readonly calls: ReadonlyMap<number, RecordedCall>;
  /** The codes of the requests without an answer at the end, by their ids. */
  readonly unanswered: ReadonlyMap<number, string>;
  /** The readings of the clock; see `Program.clock`. */
  readonly clock: readonly number[];
  /** Absent for an execution that runs or was interrupted. */
  readonly end?: JournalEnd;
}

/** An answer with its request. */
export interface RecordedReply {
  readonly request: number;
  readonly mac: string;
  readonly operation: string;
  /** Absent for a long request. */
  readonly parameters?: readonly unknown[];
  readonly ok: boolean;
  /** JSON text. */
  readonly payload: string;
  /** Code of the exact answer, if the payload is its redacted form. */
  readonly clear?: string;
}

/** A tool call that was sent. */
export interface RecordedCall {
  readonly number: number;
  readonly mac: string;
  readonly tool: string;
  readonly arguments: unknown;
  /** The key of the policy's limit that the call used. */
  readonly limit?: string;
  /** JSON text of the answer; absent if there is none, or an error. */
  readonly result?: string;
}

type Draft = {
  start?: JournalStart;
  replies: RecordedReply[];
  calls: Map<number, RecordedCall>;
  byNumber: Map<number, number>;
  unanswered: Map<number, string>;
  clock: number[];
  end?: JournalEnd;
};

/**
 * Reads the journal of an execution for a replay. Ignores a last line that a crash has cut off. Raises `JOURNAL_DAMAGED` for a
 * journal that was changed or belongs to another execution or data folder, and `NOT_SUPPORTED` for one that cannot be replayed.
 */
export async function readRecording(path: string, executionId: string, key: Buffer): Promise<Recording> {
  const chain = createChain(key, executionId);
  const draft: Draft = {
    replies: [],
    calls: new Map(),
    byNumber: new Map(),
    unanswered: new Map(),
    clock: [],
  };
  let number = 0;
  for await (const line of completeLines(path)) add(draft, readEntry(line, ++number, executionId, chain));
  const { start, byNumber: _byNumber, ...rest } = draft;
  if (!start) throw damaged(executionId, 'it is empty');
  return { start, ...rest };
}

/** Yields the lines of a file, except a last one without a line break. */
async function* completeLines(path: string): AsyncGenerator<string> {
  const input = createReadStream(path, 'utf8');
  let endsWithBreak = true;
  input.on('data', (chunk) => {
    endsWithBreak = chunk.toString().endsWith('\n');
  });
  let held: string | undefined;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (held !== undefined) yield held;
    held = line;
  }
  if (held !== undefined && endsWithBreak) yield held;
}

function readEntry(line: string, number: number, executionId: string, chain: Chain): JournalEntry {
  if (number === 1) requireFormat(line, executionId);
  if (!chain.accepts(line)) {
    const where = number === 1 ? 'it belongs to another execution or data folder' : `its line ${number}`;
    throw damaged(executionId, number === 1 ? `${where}, or its first line was changed` : `${where} was changed`);
  }
  return JSON.parse(line);
}

function requireFormat(line: string, executionId: string): void {
  const format = /"format":(\d+)/.exec(line.slice(0, 200))?.[1];
  if (format === undefined && !/^\{"entry":"start"/.test(line))
    throw damaged(executionId, 'its first line was changed');
  if (Number(format) === JOURNAL_FORMAT) return;
  const message = `The journal of execution ${executionId} has format ${format ?? 1}, and this version replays format ${JOURNAL_FORMAT}. Replay it with the version of Toolwright that wrote it, or run the program again.`;
  throw new ToolwrightError('NOT_SUPPORTED', message);
}

function damaged(executionId: string, reason: string): ToolwrightError {
  const message = `The journal of execution ${executionId} cannot be trusted: ${reason}. Restore it from a backup, or run the program again.`;
  return new ToolwrightError('JOURNAL_DAMAGED', message);
}

function add(draft: Draft, entry: JournalEntry): void {
  if (entry.entry === 'start') draft.start = entry;
  else if (entry.entry === 'call') addCall(draft, entry);
  else if (entry.entry === 'answer') addAnswer(draft, entry);
  else if (entry.entry === 'reply') draft.replies.push(replyOf(draft, entry));
  else if (entry.entry === 'clock') for (const reading of entry.readings) draft.clock.push(reading);
  else if (entry.entry === 'unanswered') draft.unanswered = new Map(entry.requests);
  else if (entry.entry === 'end') draft.end = entry;
  else if (entry.entry === 'gap') {
    const message = `Execution ${draft.start?.id} cannot be replayed: ${entry.reason}.`;
    throw new ToolwrightError('NOT_SUPPORTED', message);
  }
}

function addCall(
  draft: Draft,
  { number, request, mac = '', tool, limit, ...call }: JournalEntry & { entry: 'call' },
): void {
  if (request === undefined) return;
  draft.byNumber.set(number, request);
  draft.calls.set(request, { number, mac, tool, arguments: call.arguments, ...(limit === undefined ? {} : { limit }) });
}

function addAnswer({ byNumber, calls }: Draft, { number, ok, result }: JournalEntry & { entry: 'answer' }): void {
  const request = byNumber.get(number);
  const call = request === undefined ? undefined : calls.get(request);
  if (request !== undefined && call && ok) calls.set(request, { ...call, result: JSON.stringify(result) });
}

function replyOf({ calls, replies, start }: Draft, reply: ReplyEntry): RecordedReply {
  const call = calls.get(reply.request);
  const earlier = reply.sameAs === undefined ? undefined : replies[reply.sameAs];
  const value = 'value' in reply ? JSON.stringify(reply.value) : (earlier?.payload ?? call?.result);
  const mac = reply.mac ?? call?.mac;
  if (value === undefined || mac === undefined) throw damaged(start?.id ?? '', 'an answer has no value');
  return {
    request: reply.request,
    mac,
    operation: reply.operation ?? 'call',
    ...(reply.parameters === undefined ? {} : { parameters: reply.parameters }),
    ok: reply.ok ?? true,
    payload: value,
    ...(reply.clear === undefined ? {} : { clear: reply.clear }),
  };
}
