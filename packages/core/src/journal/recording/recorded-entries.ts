import { exactText } from '@toolwright/sandbox/internal';
import { ToolwrightError } from '../../errors.ts';
import type { JournalEntry, JournalStart, ReplyEntry } from '../entries.ts';
import type { RecordedCall, RecordedQuestion, RecordedReply, Recording } from './recording.ts';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A recording that is being read. */
export type Draft = Mutable<Omit<Recording, 'start' | 'tail'>> & {
  start?: JournalStart;
  replies: RecordedReply[];
  calls: Map<number, RecordedCall>;
  questions: Map<number, readonly RecordedQuestion[]>;
  granted: Map<number, number>;
  timers: Map<number, number>;
  changes: Map<number, number | undefined>;
  unanswered: Map<number, string>;
  clock: number[];
  /** Ids of requests by the numbers of their calls. */
  byNumber: Map<number, number>;
};

/** Returns a recording without entries. */
export function emptyDraft(): Draft {
  return {
    replies: [],
    calls: new Map(),
    questions: new Map(),
    granted: new Map(),
    timers: new Map(),
    changes: new Map(),
    unanswered: new Map(),
    clock: [],
    ranMs: 0,
    resumes: 0,
    failedResumes: 0,
    byNumber: new Map(),
  };
}

/** Entries of an execution that gets further. */
const PROGRESS: ReadonlySet<JournalEntry['entry']> = new Set([
  'answer',
  'pause',
  'reply',
  'question',
  'decision',
  'suspend',
]);

/** Adds the next entry of a journal. Raises `JOURNAL_DAMAGED` for an answer without a value. */
export function addEntry(draft: Draft, entry: JournalEntry): void {
  if (PROGRESS.has(entry.entry)) draft.failedResumes = 0;
  switch (entry.entry) {
    case 'start':
      draft.start = entry;
      draft.owner = entry.owner;
      break;
    case 'call':
      addCall(draft, entry);
      break;
    case 'answer':
      addAnswer(draft, entry);
      break;
    case 'reply':
      draft.replies.push(replyOf(draft, entry));
      draft.unanswered.delete(entry.request);
      break;
    case 'clock':
      for (const reading of entry.readings) draft.clock.push(reading);
      break;
    case 'question':
      addQuestion(draft, entry);
      draft.byNumber.set(entry.number, entry.request);
      draft.unanswered.set(entry.request, entry.mac);
      break;
    case 'decision':
      addDecision(draft, entry);
      break;
    case 'pause':
      changeCall(draft, entry.number, entry.reason ? { pause: entry } : { pause: entry, state: entry.state });
      break;
    case 'send':
      changeCall(draft, entry.number, { pause: undefined });
      markUsed(draft, entry.number);
      break;
    case 'timer':
      draft.timers.set(entry.request, entry.dueMs);
      draft.unanswered.set(entry.request, entry.mac);
      break;
    case 'change':
      draft.changes.set(entry.request, entry.bytes);
      draft.unanswered.set(entry.request, entry.mac);
      break;
    case 'unanswered':
      draft.unanswered = new Map(entry.requests);
      break;
    case 'suspend':
      draft.suspension = entry;
      draft.ranMs = entry.ranMs;
      break;
    case 'resume':
      delete draft.suspension;
      draft.resumes++;
      draft.failedResumes++;
      draft.owner = entry.owner;
      break;
    case 'gap':
      draft.gap ??= entry.reason;
      break;
    case 'end':
      draft.end = entry;
  }
}

function addCall(
  draft: Draft,
  { number, request, mac = '', tool, at, limit, plan, ...call }: JournalEntry & { entry: 'call' },
): void {
  if (request === undefined) return;
  draft.byNumber.set(number, request);
  draft.unanswered.set(request, mac);
  draft.calls.set(request, {
    number,
    mac,
    tool,
    arguments: call.arguments,
    startedAt: at,
    limit,
    plan,
  });
}

function addAnswer(draft: Draft, { number, ok, result, at }: JournalEntry & { entry: 'answer' }): void {
  changeCall(draft, number, { answer: { ok, at, text: exactText(result) } });
}

function changeCall(
  { byNumber, calls }: Draft,
  number: number,
  {
    pause,
    answer,
    state,
  }: { pause?: RecordedCall['pause'] | undefined; answer?: RecordedCall['answer']; state?: unknown },
): void {
  const request = byNumber.get(number);
  const call = request === undefined ? undefined : calls.get(request);
  if (request === undefined || !call) return;
  const { pause: _before, ...rest } = call;
  calls.set(request, {
    ...rest,
    pause,
    answer,
    state: state ?? rest.state,
  });
}

/** Adds a question. One with the same number was asked again, because the call has changed. */
function addQuestion({ questions }: Draft, question: JournalEntry & { entry: 'question' }): void {
  const others = questions.get(question.request) ?? [];
  questions.set(question.request, [
    ...others.filter((other) => questionNumber(other) !== questionNumber(question)),
    question,
  ]);
}

function addDecision(draft: Draft, decision: JournalEntry & { entry: 'decision' }): void {
  const { byNumber, questions, granted } = draft;
  if (decision.grant !== undefined) granted.set(decision.number, decision.grant);
  const request = byNumber.get(decision.number) ?? 0;
  const asked = questions.get(request);
  const decided = asked?.map((question) =>
    questionNumber(question) === questionNumber(decision) ? { ...question, decision } : question,
  );
  if (decided) questions.set(request, decided);
}

/** Marks the decisions about unknown outcomes under which a call was sent again: each holds for one time. */
function markUsed({ byNumber, questions }: Draft, number: number): void {
  const request = byNumber.get(number) ?? 0;
  const asked = questions.get(request);
  const isUsed = ({ kind, decision }: RecordedQuestion) => kind === 'outcome' && decision !== undefined;
  const marked = asked?.map((question) => (isUsed(question) ? { ...question, isUsed: true as const } : question));
  if (marked) questions.set(request, marked);
}

/** Returns the number of a question within its call. The first one has none in its entry. */
export function questionNumber({ question = 1 }: { readonly question?: number | undefined }): number {
  return question;
}

function replyOf({ calls, replies, start, clock }: Draft, reply: ReplyEntry): RecordedReply {
  const call = calls.get(reply.request);
  const earlier = reply.sameAs === undefined ? undefined : replies[reply.sameAs];
  const value =
    'value' in reply ? exactText(reply.value) : (earlier?.payload ?? (call?.answer?.ok ? call.answer.text : undefined));
  const mac = reply.mac ?? call?.mac;
  if (value === undefined || mac === undefined) throw damaged(start?.id ?? '', 'an answer has no value');
  return {
    request: reply.request,
    mac,
    operation: reply.operation ?? 'call',
    parameters: reply.parameters,
    ok: reply.ok ?? true,
    payload: value,
    clear: reply.clear,
    readings: clock.length,
  };
}

/** Returns the error of a journal that was changed. */
export function damaged(executionId: string, reason: string): ToolwrightError {
  const message = `The journal of execution ${executionId} cannot be trusted: ${reason}. Restore it from a backup, or run the program again.`;
  return new ToolwrightError('JOURNAL_DAMAGED', message);
}
