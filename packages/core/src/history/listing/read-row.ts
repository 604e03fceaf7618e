import { parseJson } from '@toolwright/connectors/internal';
import type { JournalEntry } from '../../journal/entries.ts';
import { endStatus } from '../../journal/history.ts';
import { questionNumber } from '../../journal/recording/recorded-entries.ts';
import type { JournalReader } from '../../journal/storages/storage.ts';
import { DEFAULT_USER } from '../../owner-name.ts';
import { type IndexedRow, rowKey } from './row.ts';

/** A longer line is not parsed; its head is. */
const MAX_LINE = 1024 * 1024;
const MAX_TEXT = 16 * 1024;
const MAX_PREVIEW = 160;
const MAX_MESSAGE = 300;
const MAX_TOOLS = 20;
const MAX_TOOL_NAMES = 500;
const PLACEHOLDER = /\[(([A-Z][A-Z0-9_]{1,23})_\d{1,9})\]/g;
/** The last member of a line with a long value. */
const VALUE = { call: ',"arguments":', answer: ',"result":' };

/** The facts that are collected while a journal is read. */
interface Draft {
  start?: JournalEntry & { readonly entry: 'start' };
  suspension?: JournalEntry & { readonly entry: 'suspend' };
  end?: JournalEntry & { readonly entry: 'end' };
  result?: unknown;
  /** The sent calls by number: the tool, and when it was sent. */
  readonly sent: Map<number, { readonly tool: string; readonly ms: number }>;
  readonly tools: Map<string, { calls: number; failed: number; times?: Record<string, number> }>;
  /** Open questions by call and number. */
  readonly open: Set<string>;
  readonly placeholders: Map<string, string>;
  callBytes: number;
}

/** Reads the row of an execution from its journal. Returns undefined without a journal, and for one whose start cannot be read. */
export async function readRow(journals: JournalReader, id: string): Promise<IndexedRow | undefined> {
  const draft: Draft = { sent: new Map(), tools: new Map(), open: new Set(), placeholders: new Map(), callBytes: 0 };
  for await (const page of journals.read(id)) for (const line of page) addLine(draft, line);
  return rowOf(draft);
}

function addLine(draft: Draft, line: string): void {
  const kind = /^\{"entry":"([a-z]+)"/.exec(line)?.[1];
  if (kind === 'call' || kind === 'answer') addCallLine(draft, line, kind);
  if (kind === 'send') addSend(draft, parseJson(line));
  if (kind === 'call' || kind === 'answer' || kind === 'result') addPlaceholders(draft, line);
  if (kind === 'result' && line.length <= MAX_LINE) draft.result = Object(parseJson(line)).result;
  if (kind === 'resume') delete draft.suspension;
  if (kind === 'question' || kind === 'decision' || kind === 'end' || kind === 'suspend' || kind === 'start') {
    addEntry(draft, parseJson(line) as JournalEntry | undefined);
  }
}

function addEntry(draft: Draft, entry: JournalEntry | undefined): void {
  if (entry?.entry === 'start') draft.start = entry;
  if (entry?.entry === 'end') draft.end = entry;
  if (entry?.entry === 'suspend') draft.suspension = entry;
  if (entry?.entry === 'question') {
    draft.open.add(`${entry.number}.${questionNumber(entry)}`);
    // A call that waits for a person is found by its tool, although it was not sent.
    if (!draft.tools.has(entry.tool)) draft.tools.set(entry.tool, { calls: 0, failed: 0 });
  }
  if (entry?.entry === 'decision') draft.open.delete(`${entry.number}.${questionNumber(entry)}`);
}

/** Adds a call or its answer. Their values stay unread: they can be long. */
function addCallLine(draft: Draft, line: string, kind: 'call' | 'answer'): void {
  const at = line.indexOf(VALUE[kind]);
  const { number, tool, ok, at: time } = Object(at === -1 ? undefined : parseJson(`${line.slice(0, at)}}`));
  if (typeof number !== 'number') return;
  draft.callBytes += Buffer.byteLength(line) - at - VALUE[kind].length - 1;
  if (kind === 'call') draft.sent.set(number, { tool, ms: Date.parse(time) });
  const call = draft.sent.get(number);
  const count = draft.tools.get(call?.tool ?? '') ?? { calls: 0, failed: 0 };
  draft.tools.set(call?.tool ?? '', count);
  if (kind === 'call') count.calls++;
  else if (ok === false) count.failed++;
  else if (call) addTime(count, Date.parse(time) - call.ms);
}

/** Moves the start of a call that is sent again after a pause. */
function addSend({ sent }: Draft, entry: unknown): void {
  const { number, at } = Object(entry);
  const call = sent.get(number);
  if (call) sent.set(number, { ...call, ms: Date.parse(at) });
}

function addTime(count: { times?: Record<string, number> }, ms: number): void {
  if (Number.isNaN(ms)) return;
  // A clock that was set back measures nothing.
  const key = String(Number(Math.max(0, ms).toPrecision(2)));
  count.times ??= {};
  count.times[key] = (count.times[key] ?? 0) + 1;
}

function addPlaceholders({ placeholders }: Draft, line: string): void {
  for (const [, name = '', type = ''] of line.matchAll(PLACEHOLDER)) placeholders.set(name, type);
}

function rowOf({
  start,
  suspension,
  end,
  result,
  tools,
  open,
  placeholders,
  callBytes,
}: Draft): IndexedRow | undefined {
  if (!start) return undefined;
  const { id, user = DEFAULT_USER, session, language, sandbox, dryRun, forkedFrom, profile, owner, at, source } = start;
  const counts = [...tools].map(([tool, count]) => ({ tool, ...count })).sort((a, b) => b.calls - a.calls);
  const { error, message, stats } = Object(result);
  const failure = errorOf(error ?? (message === undefined ? undefined : { code: end?.limit, message }));
  const wait = end ? undefined : suspension;
  return {
    key: rowKey(Date.parse(at), id),
    id,
    userId: user,
    language,
    sandbox,
    startedAt: at,
    sessionId: session,
    status: end ? endStatus(end.status, end.limit) : wait && 'suspended',
    endedAt: end?.at,
    isDryRun: dryRun || undefined,
    forkedFrom,
    profile,
    waitingFor: wait?.waitingFor,
    wakeAt: wait && new Date(wait.wakeMs).toISOString(),
    owner,
    preview: source.slice(0, MAX_PREVIEW),
    tools: counts.slice(0, MAX_TOOLS),
    toolCalls: counts.reduce((total, { calls }) => total + calls, 0),
    toolErrors: counts.reduce((total, { failed }) => total + failed, 0),
    openQuestions: end ? 0 : open.size,
    error: failure,
    limit: end?.limit,
    totalMs: typeof stats?.totalMs === 'number' ? stats.totalMs : undefined,
    tokens: stats?.tokens ? { code: stats.tokens.code, output: stats.tokens.output } : undefined,
    callBytes,
    personalData: placeholders.size > 0 ? countsOf(placeholders.values()) : undefined,
    toolNames: [...tools.keys()].slice(0, MAX_TOOL_NAMES),
    text: [source.slice(0, MAX_TEXT), failure?.code, failure?.message, ...tools.keys()].join('\n'),
  };
}

function errorOf(error: unknown): { code: string; message?: string } | undefined {
  const { code, message } = Object(error);
  if (typeof code !== 'string') return undefined;
  return { code, message: typeof message === 'string' ? message.slice(0, MAX_MESSAGE) : undefined };
}

function countsOf(types: Iterable<string>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const type of types) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}
